# The functions of weft's completion in bash. The words that weft knows are in _weft_table, which is printed before
# them; what a profile holds is asked of weft. Where nothing is offered, bash completes file names.
#
# _weft keeps what it has found in local variables, which the functions that it calls can see:
#   words, places    the words of the line, without readline's breaks at colons and equals signs, and where each begins
#                    in COMP_WORDS
#   at, current      the place of the current word in words, and as much of it as is to be completed
#   operands         the places of the words before it that are no options and no values of options
#   option           the option whose value the current word is; plain: options have ended
#   options, valued, operand, actions, kind, list    what _weft_table says

_weft_split() {
    local i glued=''
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        if ((i > 1)) && [[ -n $glued || ${COMP_WORDS[i]} == [:=]* ]]; then
            words[-1]+=${COMP_WORDS[i]}
        else
            words+=("${COMP_WORDS[i]}")
            places+=("$i")
        fi
        glued=''
        [[ -z ${COMP_WORDS[i]} || ${COMP_WORDS[i]} == *[!:=]* ]] || glued=1
        ((i != COMP_CWORD)) || at=$((${#words[@]} - 1))
    done
    current=${words[at]}
}

_weft_scan() {
    local i word
    for ((i = 2; i < at; i++)); do
        word=${words[i]}
        if [[ -n $plain || $word != -?* ]]; then
            operands+=("$i")
            [[ $operand != program ]] || return
        elif [[ $word == -- ]]; then
            plain=1
        elif [[ $word != --*=* ]]; then
            [[ $word == --* ]] || word=-${word: -1}
            [[ " $valued " == *" $word "* ]] && ((++i == at)) && option=$word
        fi
    done
    if [[ -z $plain && -z $option && $current == --*=* ]]; then
        option=${current%%=*}
        current=${current#*=}
    fi
}

# Offers the lines of its input that begin with the current word and need no quotes. Readline replaces only what is
# behind its last break.
_weft_offer() {
    local line whole=${words[at]} breaks=${COMP_WORDBREAKS//[!:=]/} kept=''
    [[ -z $breaks ]] || kept=${whole%"${whole##*["$breaks"]}"}
    while IFS= read -r line; do
        [[ -n $line && $line == "$current"* && $line != *[!A-Za-z0-9_./:+@%,=~-]* ]] || continue
        line=${whole%"$current"}$line
        COMPREPLY+=("${line#"$kept"}")
    done
}

_weft_offer_words() {
    _weft_offer < <(tr ' ' '\n' <<<"$1")
}

# ---- what a profile holds: that of the command line, or else the newest one of this directory ----

_weft_select() {
    local i weft=${words[0]/#\~/$HOME} profile=''
    for ((i = 2; i < ${#words[@]}; i++)); do
        ((i == at)) || [[ ${words[i]} != [!-]*.weft ]] || profile=${words[i]/#\~/$HOME}
    done
    WEFT_REPORT_WIDTH='' "$weft" query --sql "SELECT DISTINCT $1" ${profile:+-- "$profile"} 2>/dev/null | tail -n +2
}

# With directories only if the user has begun with one.
_weft_short() {
    local path
    while IFS= read -r path; do
        [[ $current == */* ]] || path=${path##*/}
        echo "$path"
    done | sort -u
}

# Of "Grid<double>::exchange(int)", Grid::exchange.
_weft_names() {
    local name
    _weft_select "name FROM event WHERE event_type IN ('procedure', 'region', 'phase')" | while IFS= read -r name; do
        name=${name%%(*}
        while [[ $name =~ ^(.*)\<[^\<\>]*\>(.*)$ ]]; do
            name=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
        done
        echo "$name"
    done | sort -u
}

_weft_statements() {
    _weft_select "file || ':' || line FROM event WHERE line > 0 AND event_type $1" | _weft_short
}

_weft_calls() {
    _weft_select "activate_file || ':' || activate_line FROM proc WHERE activate_line > 0" | _weft_short
}

_weft_sources() {
    _weft_select "file FROM event WHERE line > 0" | _weft_short
}

# ---- one word ----

_weft_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$@" -- "$current")
}

_weft_profiles() {
    local folders
    _weft_files -f -X '!*.weft'
    mapfile -t folders < <(compgen -d -X '*.weft*' -- "$current")
    COMPREPLY+=("${folders[@]}")
}

_weft_value() {
    case $1 in
    word) _weft_offer_words "$list" ;;
    command) _weft_offer_words "$commands" ;;
    number) compopt +o default 2>/dev/null ;;
    communication) _weft_offer < <(_weft_statements "= 'communication'") ;;
    loop) _weft_offer < <(_weft_statements "= 'loop'") ;;
    call) _weft_offer < <(_weft_calls) ;;
    procedure) _weft_offer < <(_weft_names) ;;
    region) _weft_offer < <(_weft_names; _weft_calls; _weft_statements "<> 'procedure'") ;;
    source) _weft_offer < <(_weft_sources) ;;
    rank) _weft_offer < <(_weft_select "CAST(rank AS TEXT) FROM rank") ;;
    patterns)
        current=${current##*,}
        _weft_offer < <(_weft_names; _weft_sources)
        ;;
    esac
    return 0
}

_weft_operand() {
    case $operand in
    profile) _weft_profiles ;;
    run) _weft_files -d -X '!*.weft-*' ;;
    program) [[ -z $current || $current == */* ]] || mapfile -t COMPREPLY < <(compgen -c -- "$current" | sort -u) ;;
    command) _weft_value command ;;
    question)
        if [[ " ${words[*]} " == *' --sql'[\ =]* ]] || ((${#operands[@]} > 1)); then
            _weft_profiles
        elif ((${#operands[@]} == 0)); then
            _weft_question ''
            _weft_offer_words "$list"
        else
            _weft_question "${words[operands[0]]}"
            if [[ -n $kind ]]; then
                _weft_value "$kind"
            else
                _weft_profiles
            fi
        fi
        ;;
    esac
}

# What is behind a program is completed as the program's own command line would be: PLACE in COMP_WORDS is where that
# begins.
_weft_delegate() {
    local from=$1 front line=${COMP_LINE-} point=${COMP_POINT-0} all=("${COMP_WORDS[@]}") specification
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$from"
        return
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$from"
        return
    fi
    specification=$(complete -p -- "${all[from]}" 2>/dev/null || complete -p -- "${all[from]##*/}" 2>/dev/null)
    [[ $specification =~ \ -F\ ([^ ]+) ]] || return 0
    front=${line%%"${all[from]}"*}
    local COMP_WORDS=("${all[@]:from}") COMP_CWORD=$((COMP_CWORD - from))
    local COMP_LINE=${line#"$front"} COMP_POINT=$((point - ${#front}))
    "${BASH_REMATCH[1]}" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
}

_weft() {
    local words=() places=() operands=() at=0 current option='' plain=''
    local options='' valued='' operand='' actions='' kind='' list='' commands
    COMPREPLY=()
    _weft_split
    if ((at == 1)); then
        _weft_table '' ''
        _weft_offer_words "$commands $options"
        return
    fi
    _weft_table "${words[1]}" ''
    _weft_scan
    if [[ $operand == program ]] && ((${#operands[@]})); then
        _weft_delegate "${places[operands[0]]}"
    elif [[ -n $option ]]; then
        _weft_table "${words[1]}" "$option"
        _weft_value "$kind"
    elif [[ -z $plain && $current == -* ]]; then
        _weft_offer_words "$options"
    elif [[ -n $actions ]] && ((${#operands[@]} == 0)); then
        _weft_offer_words "$actions"
    else
        _weft_operand
    fi
}
complete -o default -o bashdefault -F _weft weft
