# bash completion for qvault
_qvault() {
    local current=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '@first@ --help --version' -- "$current"))
        return
    fi
    case $verb in
@pairs@
    esac
    case $verb in
@cases@
    esac
    case $current in
        -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
        *)
            mapfile -t COMPREPLY < <(qvault completion for -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
            [ "${#COMPREPLY[@]}" -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$current")
            case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac ;;
    esac
}
complete -o filenames -F _qvault qvault
