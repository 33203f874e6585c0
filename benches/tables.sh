#!/usr/bin/env bash
# Times whole tables, sub-games included, and compares them with another generator.
#
#   benches/tables.sh [--record] [--peer DIR] [--memory SIZE] [TABLE...]
#
# CPU seconds (user and system) are the figure to compare. Without --peer the other side is benches/peers.csv. With it,
# DIR holds Syzygy's generators `rtbgen` and `rtbgenp`, which are run here, on the same machine, for their solve alone
# (option -g: neither compressed nor written). What they read is not made by them: set RTBWDL (newer ones: RTBPATH) to a
# folder of Syzygy files with fewer men. With --record the results go to benches/record/<machine>/<date>.csv.
set -euo pipefail
cd "$(dirname "$0")/.."

record=false
peer_folder=
memory=70%
while [[ "${1:-}" == --* ]]; do
    case "$1" in
        --record) record=true ;;
        --peer) peer_folder="$(realpath "$2")"; shift ;;
        --memory) memory="$2"; shift ;;
        *) echo "benches/tables.sh: unknown option $1" >&2; exit 2 ;;
    esac
    shift
done
peers=benches/peers.csv
tables=("$@")
if [[ ${#tables[@]} -eq 0 ]]; then
    mapfile -t tables < <(grep -v '^#' "$peers" | tail -n +2 | cut -d, -f1)
fi

cargo build --release --quiet -p molien
machine="$(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1 | tr -cs '[:alnum:]\n' '-' | tr '[:upper:]' '[:lower:]')"
machine="${machine%-}-$(nproc)-cores"
out=/dev/null
if $record; then
    mkdir -p "benches/record/$machine"
    out="benches/record/$machine/$(date -u +%F).csv"
fi
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

# User, system and wall seconds and the peak in MiB of a command. The peak is read while it runs: it only grows.
measure() {
    local peak=0 now seconds
    { TIMEFORMAT='%U %S %R'; time "$@" > "$scratch/out" 2>&1; } 2> "$scratch/time" &
    local shell=$! pid=
    while kill -0 "$shell" 2> /dev/null; do
        pid="$(pgrep -P "$shell" | head -1 || true)"
        now="$(sed -n 's/^VmHWM:\s*\([0-9]*\) kB/\1/p' "/proc/${pid:-none}/status" 2> /dev/null || true)"
        peak="${now:-$peak}"
        sleep 0.02
    done
    wait "$shell" || { cat "$scratch/out" >&2; return 1; }
    seconds="$(cat "$scratch/time")"
    echo "$seconds $((peak / 1024))"
}

# KQPKQ as Syzygy writes it.
versus() { sed 's/^\(K[^K]*\)K/\1vK/' <<< "$1"; }

echo "table,metrics,cpu_s,system_s,wall_s,peak_mib,peer,peer_solve_cpu_s,peer_peak_mib,ratio,load" | tee "$out"
for table in "${tables[@]}"; do
    IFS=, read -r _ tool solve _ <<< "$(grep "^$table," "$peers" || echo "$table,,,")"
    peer_peak=
    if [[ -n "$peer_folder" ]]; then
        tool=rtbgen
        [[ "$table" == *P* ]] && tool=rtbgenp
        read -r user system _ peer_peak <<< "$(cd "$scratch" && measure "$peer_folder/$tool" -g -t "$(nproc)" "$(versus "$table")")"
        solve="$(awk -v a="$user" -v b="$system" 'BEGIN { printf "%.2f", a + b }')"
    fi
    for metrics in dtz50 dtm dtm,dtc,dtz,dtz50; do
        read -r user system wall peak <<< "$(measure target/release/molien solve "$table" --metric "$metrics" --in-memory --backend cpu --memory "$memory")"
        cpu="$(awk -v a="$user" -v b="$system" 'BEGIN { printf "%.2f", a + b }')"
        ratio="$(awk -v a="${solve:-0}" -v b="$cpu" 'BEGIN { if (a > 0 && b > 0) printf "%.1f", a / b }')"
        echo "$table,${metrics//,/+},$cpu,$system,$wall,$peak,$tool,$solve,$peer_peak,$ratio,$(cut -d' ' -f1 /proc/loadavg)" | tee -a "$out"
    done
done
