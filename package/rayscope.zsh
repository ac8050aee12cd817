#compdef rayscope
# Completion for zsh. The program itself knows what may follow.

local -a found axes others
found=(${(f)"$($words[1] --complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"})
axes=(${(M)found:#*=})
others=(${found:#*=})
compadd -S '' -a axes
compadd -a others
(( $#found )) || _files
