#compdef qvault
_qvault_names() {
    local -a found
    found=("${(@f)$(qvault completion for -- "${(@)line}" 2>/dev/null)}")
    if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
_qvault() {
    local -a verbs line
    line=("${(@)words[2,CURRENT]}")
    verbs=(
@first@
    )
    if (( CURRENT == 2 )); then
        _describe verb verbs
        return
    fi
    local verb=$words[2]
    shift words
    (( CURRENT-- ))
    case $verb in
@pairs@
    esac
    case $verb in
@cases@
    esac
}
if [ "$funcstack[1]" = _qvault ]; then _qvault "$@"; else compdef _qvault qvault; fi
