#!/usr/bin/env bash
# Times whole tables, sub-games included, and compares them with other generators (peers.csv).
#
#   benches/tables.sh [--record] [TABLE...]
#
# CPU seconds (user and system) are the figure to compare. With --record the results go to
# benches/record/<machine>/<date>.csv.
set -euo pipefail
cd "$(dirname "$0")/.."

record=false
if [[ "${1:-}" == --record ]]; then
    record=true
    shift
fi
peers=benches/peers.csv
tables=("$@")
if [[ ${#tables[@]} -eq 0 ]]; then
    mapfile -t tables < <(grep -v '^#' "$peers" | tail -n +2 | cut -d, -f1)
fi

cargo build --release --quiet -p molien
machine="$(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1 | tr -cs '[:alnum:]\n' '-' | tr '[:upper:]' '[:lower:]')"
machine="${machine%-}-$(nproc)-cores"
if $record; then
    mkdir -p "benches/record/$machine"
    out="benches/record/$machine/$(date -u +%F).csv"
else
    out=/dev/null
fi

# CPU seconds, wall seconds and peak MiB of one solve from nothing.
measure() {
    local usage
    usage="$( { TIMEFORMAT='%U %S %R'; time target/release/molien solve "$1" --metric "$2" --in-memory --backend cpu > /dev/null; } 2>&1 )"
    awk '{ printf "%.2f %.2f", $1 + $2, $3 }' <<< "$usage"
}

echo "table,metrics,cpu_s,wall_s,peer,peer_solve_cpu_s,ratio,load" | tee "$out"
for table in "${tables[@]}"; do
    peer="$(grep "^$table," "$peers" || echo "$table,,,")"
    IFS=, read -r _ tool solve _ <<< "$peer"
    for metrics in dtz50 dtm,dtc,dtz,dtz50; do
        read -r cpu wall <<< "$(measure "$table" "$metrics")"
        ratio="$(awk -v a="${solve:-0}" -v b="$cpu" 'BEGIN { if (a > 0 && b > 0) printf "%.1f", a / b }')"
        echo "$table,${metrics//,/+},$cpu,$wall,$tool,$solve,$ratio,$(cut -d' ' -f1 /proc/loadavg)" | tee -a "$out"
    done
done
