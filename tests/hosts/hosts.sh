#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ranks on two hosts make one profile, in both launch orders. The hosts are network namespaces with names and clocks of their own.
. "$(dirname "$0")/../lib.sh"
use_mpi openmpi
[ "$(id -u)" = 0 ] || skip "hosts are made of namespaces, which needs root"
command -v ip >/dev/null || skip "there is no ip here (iproute2)"
cd "$tmp"
id=$$
bridge=weft$((id % 10000))
net=10.$((200 + id % 50)).$((id % 250))

remove_hosts()
{
    for host in wa$id wb$id; do
        ip netns pids $host 2>/dev/null | xargs -r kill -9 2>/dev/null || true
        ip netns del $host 2>/dev/null || true
        rm -rf "/etc/netns/$host"
    done
    ip link del $bridge 2>/dev/null || true
}
trap 'remove_hosts; cleanup' EXIT

add_host()
{
    local host=$1 number=$2
    ip netns add "$host" && ip link add "v$number$bridge" type veth peer name eth0 netns "$host" && ip link set "v$number$bridge" master $bridge up &&
        ip -n "$host" addr add "$net.$number/24" dev eth0 && ip -n "$host" link set eth0 up && ip -n "$host" link set lo up || return 1
    mkdir -p "/etc/netns/$host"
    printf '127.0.0.1 localhost\n%s.1 here\n%s.2 wa%s\n%s.3 wb%s\n' "$net" "$net" "$id" "$net" "$id" >"/etc/netns/$host/hosts"
}

{ ip link add $bridge type bridge && ip addr add "$net.1/24" dev $bridge && ip link set $bridge up &&
    add_host wa$id 2 && add_host wb$id 3; } 2>err || skip "namespaces are not allowed here: $(head -n 1 err)"

# What ssh would do, with a fresh environment; each host's monotonic clock is its own.
cat >agent <<END
#!/bin/bash
host=\$1; shift
seconds=1000; [ \$host = wa$id ] || seconds=7000
exec env -i PATH="\$PATH" HOME="\$HOME" ip netns exec \$host unshare --uts --time --monotonic \$seconds --fork bash -c "hostname \$host; cd '$tmp'; \$*"
END
chmod +x agent
compile ring -g "$tests/launch/ring.c"
hosts=(--host wa$id:2,wb$id:2 --mca plm_rsh_agent "$tmp/agent" --mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_if_include "$net.0/24"
    --mca btl_tcp_if_include "$net.0/24")
limited "$MPIRUN" "${hosts[@]}" -n 4 ./ring 10 </dev/null >out 2>err || skip "Open MPI does not run over namespaces here: $(head -n 3 err)"

check()
{
    local what=$1 profile=$2
    [ -f "$profile" ] || fail "$what left no profile: $(cat err)"
    [ "$(sql "$profile" "SELECT group_concat(rank || ' ' || host) FROM (SELECT * FROM rank ORDER BY rank)")" = "0 wa$id,1 wa$id,2 wb$id,3 wb$id" ] ||
        fail "$what: $(sql "$profile" 'SELECT rank, host FROM rank')"
    [ "$(sql "$profile" "SELECT value FROM run WHERE key = 'hosts'")" = 2 ] || fail "$what: not two hosts"
    [ "$(sql "$profile" "SELECT value FROM run WHERE key = 'complete'")" = 1 ] || fail "$what: not complete"
    [ "$(sql "$profile" "SELECT sum(trans_num) FROM com JOIN event ON event.id = com.event WHERE name = 'MPI_Sendrecv_replace'")" = 80 ] ||
        fail "$what: transfers are missing"
    # Monotonic clocks 6,000 s apart must not become a wall time of hours.
    [ "$(sql "$profile" "SELECT value < 60e9 FROM run WHERE key = 'wall_ns'")" = 1 ] || fail "$what: wall time $(sql "$profile" "SELECT value FROM run WHERE key = 'wall_ns'")"
    [ -z "$(ls -d .weft-* 2>/dev/null)" ] || fail "$what left $(ls -d .weft-*)"
}

limited "$WEFT" run -q -o outer.weft "$MPIRUN" "${hosts[@]}" -n 4 ./ring 10 </dev/null >out 2>err || fail "outer order: status $?: $(cat err)"
check "outer order" outer.weft
limited "$MPIRUN" "${hosts[@]}" -n 4 "$WEFT" run -q -o inner.weft ./ring 10 </dev/null >out 2>err || fail "inner order: status $?: $(cat err)"
for _ in $(seq 50); do
    [ ! -f inner.weft ] || break
    sleep 0.1
done
check "inner order" inner.weft
