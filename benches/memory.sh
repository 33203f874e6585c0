#!/usr/bin/env bash
# Stores tables one at a time, each from an empty folder, and prints what that took, as CSV.
#
#   [MOLIEN=PROGRAM] benches/memory.sh [--in-memory] [--memory SIZE] [--threads N] [--jobs N] [--metric LIST] [--pack HOW]
#                                      [--scratch DIR] [--known FILE] [--begin-within SECONDS] TABLE... | all
#
# `all` stands for the 145 tables of three to five men, the longest first. Needs bash and the program only. With --in-memory
# tables are solved and not stored: there is no folder, --pack has no effect, and files is 0. With --jobs N, N tables are in
# work at a time, each by a process of its own with --threads and --memory. Tables that have a row in FILE, an earlier output,
# are passed over; none is begun after --begin-within. peak_mib is VmHWM, the most the process ever had in memory;
# above_percent says by how much that is above --memory.
set -euo pipefail

molien="${MOLIEN:-molien}"
memory=2G threads=2 jobs=1 metric=dtm,dtc,dtz,dtz50 pack=quick
scratch_in="${TMPDIR:-/tmp}" known=/dev/null begin_within_s= in_memory=
while [[ "${1:-}" == --* ]]; do
    case "$1" in
        --in-memory) in_memory=1; shift; continue ;;
        --memory) memory="$2" ;;
        --threads) threads="$2" ;;
        --jobs) jobs="$2" ;;
        --metric) metric="$2" ;;
        --pack) pack="$2" ;;
        --scratch) scratch_in="$2" ;;
        --known) known="$2" ;;
        --begin-within) begin_within_s="$2" ;;
        *) echo "benches/memory.sh: unknown option $1" >&2; exit 2 ;;
    esac
    shift 2
done
case "$memory" in
    *G) limit_mib=$((${memory%G} * 1024)) ;;
    *M) limit_mib="${memory%M}" ;;
    *) echo "benches/memory.sh: --memory takes so many G or M, not $memory" >&2; exit 2 ;;
esac
scratch="$(mktemp -d -p "$scratch_in" molien-memory.XXXXXX)"
trap 'rm -rf "$scratch"' EXIT

# Those that are solved last depend on most, and take longest.
all_tables() {
    "$molien" --tables "$scratch/none" --json plan --men 5 | grep -o '"material":"[^"]*"' | cut -d'"' -f4 | tac
}
if [[ "${1:-}" == all ]]; then
    mapfile -t tables < <(all_tables)
else
    tables=("$@")
fi
if [[ ${#tables[@]} -eq 0 ]]; then
    echo "benches/memory.sh: no table given" >&2
    exit 2
fi

# Runs a command and prints user, system and wall seconds, the peak in KiB and the exit status. The peak is read while
# it runs: it only grows.
measure() {
    local own="$1" peak_kib=0 now shell pid= status=0
    shift
    { TIMEFORMAT='%U %S %R'; time "$@" > "$own.out" 2>&1; } 2> "$own.time" &
    shell=$!
    while kill -0 "$shell" 2> /dev/null; do
        if [[ -z "$pid" ]]; then
            read -r pid _ < "/proc/$shell/task/$shell/children" || true
        fi
        if [[ -n "$pid" && -r "/proc/$pid/status" ]]; then
            now="$(grep -s '^VmHWM:' "/proc/$pid/status" | tr -dc '0-9' || true)"
            peak_kib="${now:-$peak_kib}"
        fi
        sleep 0.05
    done
    wait "$shell" || status=$?
    echo "$(cat "$own.time") $peak_kib $status"
}

store() {
    local table="$1" folder="$scratch/$1" user system wall peak_kib status
    local where=(--tables "$folder") how=(--pack "$pack")
    if [[ -n "$in_memory" ]]; then
        where=(--in-memory) how=()
    fi
    mkdir "$folder"
    read -r user system wall peak_kib status <<< "$(measure "$folder.run" "$molien" --backend cpu --threads "$threads" \
        --memory "$memory" "${where[@]}" --yes solve "$table" --metric "$metric" "${how[@]}")"
    awk -v table="$table" -v user="$user" -v sys="$system" -v wall="$wall" -v peak="$peak_kib" -v status="$status" \
        -v memory="$memory" -v threads="$threads" -v limit="$limit_mib" -v files="$(find "$folder" -name '*.mol' | wc -l)" \
        'BEGIN {
            mib = peak / 1024; cpu = user + sys; share = (cpu > 0) ? 100 * sys / cpu : 0
            printf "%s,%s,%s,%.0f,%.1f,%.2f,%.2f,%.1f,%.2f,%d,%d\n", table, memory, threads, mib, 100 * (mib / limit - 1),
                user, sys, share, wall, files, status
        }'
    [[ "$status" == 0 ]] || { echo "$table failed:"; tail -5 "$folder.run.out"; } >&2
    rm -rf "$folder" "$folder".run.*
}

echo "table,memory,threads,peak_mib,above_percent,user_s,system_s,system_percent,wall_s,files,status"
running=0
for table in "${tables[@]}"; do
    grep -q "^$table," "$known" && continue
    if [[ "$running" -ge "$jobs" ]]; then
        wait -n || true
        running=$((running - 1))
    fi
    if [[ -n "$begin_within_s" && "$SECONDS" -ge "$begin_within_s" ]]; then
        echo "not begun: $table and those after it" >&2
        break
    fi
    store "$table" &
    running=$((running + 1))
done
wait
