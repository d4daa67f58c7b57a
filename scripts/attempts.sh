# shellcheck shell=bash
# Functions for scripts that run tests: `attempt` runs one and notes a failure, and `conclude` ends the script. They need
# $work, a folder in which there is one named failed, and $limit, the most seconds for one command.
# shellcheck disable=SC2154 # both come from the script

# symptoms LOG: prints the lines of a failed test that matter, or its last ones.
symptoms() {
    grep -E '✘|error:|warning:|↳|ThreadSanitizer|AddressSanitizer|LeakSanitizer|^    #' "$1" | head -n 100 | grep . ||
        tail -n 60 "$1"
}

# attempt LABEL COMMAND [ARGUMENT...]: runs a command and prints its time, and the closing line of the test runner or else
# its last line. A failure is printed and noted. The status is always 0.
attempt() {
    local log took label=$1 settings=() status=0 variable TIMEFORMAT='%0R s, %0U + %0S s of processor'
    for variable in DIFFROOM_TEST_STORE DIFFROOM_TEST_HISTORIES DIFFROOM_TESTS TSAN_OPTIONS LSAN_OPTIONS SEED; do
        [[ -z ${!variable:-} ]] || settings+=("$variable=${!variable}")
    done
    label+=${DIFFROOM_TEST_STORE:+ on $DIFFROOM_TEST_STORE}
    log=$(mktemp "$work/log-XXXXXX")
    took=$({ time timeout --kill-after=5 "$limit" "${@:2}" </dev/null >"$log" 2>&1; } 2>&1) || status=$?
    {
        flock 9
        echo "== $label ($took): $( ((status == 0)) && closing "$log" || echo "failed with $status")"
        if ((status != 0)); then
            symptoms "$log"
            echo "$label" >"$log.label"
            printf '%q ' env "${settings[@]}" "${@:2}" >"$log.command"
            mv "$log" "$log.label" "$log.command" "$work/failed"
        fi
    } 9>>"$work/printing"
    rm -f "$log"
}

# closing LOG: prints the last line of a test runner's, or else the last one of all.
closing() {
    grep -E 'Test run with|^[0-9]+ passed, [0-9]+ failed' "$1" | tail -n 1 | grep . || tail -n 1 "$1"
}

# have_failed: whether a test has failed so far.
have_failed() { compgen -G "$work/failed/*.label" >/dev/null; }

# narrowed LOG: prints what of a failed command is to run again, a line each: a label, a tab and the command. Of tests in
# Swift these are the suites in which one failed, of those of the page the failed ones, and otherwise all.
narrowed() {
    local label command filter test names
    label=$(<"$1.label")
    eval "command=($(<"$1.command"))"
    case "${command[*]}" in
    *" --filter ^"*)
        filter=${command[-1]}
        # Without a name, as after a crash, no line is printed.
        names=$(sed -nE 's/^✘ Test ([A-Za-z0-9_]+\([A-Za-z0-9_:]*\)) .*/\1/p' "$1" | sort -u)
        [[ -n $names ]] || return 0
        for test in $("${command[@]:0:${#command[@]}-2}" --list-tests 2>/dev/null | grep -E "$filter" | grep -E '/' |
            grep -F -f <(echo "/${names//$'\n'/$'\n/'}") | awk -F / '!seen[substr($0, 1, length($0) - length($NF))]++'); do
            command[-1]="^${test%/*}/"
            printf '%s\t' "$test${label#"${label%% *}"}"
            printf '%q ' "${command[@]}"
            echo
        done
        ;;
    *"/run --only page "*)
        sed -n 's/^FAILED page: //p' "$1" | while IFS= read -r test; do
            printf '%s\t' "$label/$test"
            printf '%q ' "${command[@]}" --match "$test"
            echo
        done
        ;;
    esac
}

# try_again: runs what has failed once more, alone, and notes what passes now in $work/flaky, and the rest in $work/red.
try_again() {
    local log label command parts status
    for log in "$work"/failed/log-??????; do
        parts=$(narrowed "$log")
        [[ -n $parts ]] || parts=$(<"$log.label")$'\t'$(<"$log.command")
        while IFS=$'\t' read -r label command; do
            echo "== once more, alone: $label"
            status=0
            timeout --kill-after=5 "$limit" bash -c "$command" </dev/null >"$work/again" 2>&1 || status=$?
            if ((status == 0)); then
                closing "$work/again"
                { echo "FLAKY: $label" && symptoms "$log" | sed 's/^/    /'; } >>"$work/flaky"
            else
                symptoms "$work/again"
                echo "FAILED TWICE: $label" >>"$work/red"
            fi
        done <<<"$parts"
    done
}

# conclude FORM: ends the script, with status 1 if something has failed; with the form ci, if it has failed twice.
conclude() {
    have_failed || exit 0
    if [[ $1 != ci ]]; then
        echo "failed:"
        cat "$work"/failed/*.label
        exit 1
    fi
    try_again
    [[ ! -e $work/red ]] || cat "$work/red"
    [[ ! -e $work/flaky ]] || cat "$work/flaky"
    [[ ! -e $work/red ]]
    exit
}
