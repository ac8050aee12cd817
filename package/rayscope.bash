# Completion for bash. The program itself knows what may follow.

_rayscope() {
    local -a words
    local word
    read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=("")
    mapfile -t COMPREPLY < <("$1" --complete "${words[@]:1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    word=${words[-1]}
    # bash takes what stands before an = for a word of its own
    [[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && COMPREPLY=("${COMPREPLY[@]#*=}")
    return 0
}
complete -o default -F _rayscope rayscope
