# For cmake --install and, with CPack, a Debian package. The program finds its assets relative to itself, so
# the installed folder can be moved.

include(GNUInstallDirs)
set(data ${CMAKE_INSTALL_DATADIR})

install(TARGETS rayscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/kernels DESTINATION ${CMAKE_INSTALL_LIBDIR}/rayscope
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
install(DIRECTORY assets shaders DESTINATION ${data}/rayscope)
install(FILES package/org.rayscope.Rayscope.desktop DESTINATION ${data}/applications)
install(FILES package/org.rayscope.Rayscope.metainfo.xml DESTINATION ${data}/metainfo)
install(FILES package/icon/rayscope.svg DESTINATION ${data}/icons/hicolor/scalable/apps)
foreach(size 48 128 256)  # scripts/make_icons.sh
    install(FILES package/icon/${size}.png DESTINATION ${data}/icons/hicolor/${size}x${size}/apps
            RENAME rayscope.png)
endforeach()
configure_file(package/rayscope.1.in rayscope.1 @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rayscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES package/rayscope.bash DESTINATION ${data}/bash-completion/completions RENAME rayscope)
install(FILES package/rayscope.zsh DESTINATION ${data}/zsh/vendor-completions RENAME _rayscope)
install(FILES LICENSE DESTINATION ${data}/doc/rayscope RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rayscope)
set(CPACK_PACKAGE_CONTACT "The Rayscope authors <rayscope@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "An interactive path tracer whose kernels are compiled while it runs, one for each combination
of switches, to see what each optimisation does to the rays per second. Renders with an NVIDIA GPU
or on the CPU, in a window or without one.")
# g++ for all kernels but those that scenes start with; the font of the pictures in the documents; a dialog that
# opens files
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, fonts-dejavu-core, zenity")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "xclip, wl-clipboard")  # for copy and paste
if(CUDAToolkit_FOUND)  # the driver is opened at run time, and optional
    string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", nvidia-driver")
endif()
# rayscope-mpi, where it is built, is a package of its own: the first then needs no MPI.
if(TARGET rayscope-mpi)
    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME rayscope)
    set(CPACK_DEBIAN_MPI_PACKAGE_NAME rayscope-mpi)
    set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "rayscope (= ${PROJECT_VERSION}), openmpi-bin")
    set(CPACK_DEBIAN_MPI_DESCRIPTION
        "Commands of Rayscope whose work the ranks of mpirun share: pictures, sequences, sweeps, ladders
and searches on several machines.")
endif()
include(CPack)
