# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Two hosts made of namespaces, with names and clocks of their own; to be sourced by bash behind lib.sh and use_mpi.
# Sets
#
#   host_a, host_b     their names; SECONDS_A, SECONDS_B, if set before: how far their monotonic clocks are ahead
#                      (1000, 7000)
#   hosts              options of $MPIRUN to run on them, in this order, two ranks each
#   agent              what starts a command on a host
#
# and gives
#
#   pass NAME=VALUE... sets `passed`: options of $MPIRUN to set these variables in all ranks
#
# Skips the test where namespaces are not allowed.
[ "$(id -u)" = 0 ] || skip "hosts are made of namespaces, which needs root"
command -v ip >/dev/null || skip "there is no ip here (iproute2)"
cd "$tmp"
hosts_id=$$
bridge=weft$((hosts_id % 10000))
net=10.$((200 + hosts_id % 50)).$((hosts_id % 250))
host_a=wa$hosts_id host_b=wb$hosts_id

remove_hosts()
{
    for host in $host_a $host_b; do
        ip netns pids $host 2>/dev/null | xargs -r kill -9 2>/dev/null || true
        ip netns del $host 2>/dev/null || true
        rm -rf "/etc/netns/$host"
    done
    ip link del $bridge 2>/dev/null || true
}
at_exit+=(remove_hosts)

add_host()
{
    local host=$1 number=$2
    ip netns add "$host" && ip link add "v$number$bridge" type veth peer name eth0 netns "$host" &&
        ip link set "v$number$bridge" master $bridge up &&
        ip -n "$host" addr add "$net.$number/24" dev eth0 && ip -n "$host" link set eth0 up &&
            ip -n "$host" link set lo up || return 1
    mkdir -p "/etc/netns/$host"
    printf '127.0.0.1 localhost\n%s.1 here\n%s.2 %s\n%s.3 %s\n' "$net" "$net" $host_a "$net" $host_b \
        >"/etc/netns/$host/hosts"
}

{ ip link add $bridge type bridge && ip addr add "$net.1/24" dev $bridge && ip link set $bridge up &&
    add_host $host_a 2 && add_host $host_b 3; } 2>err || skip "namespaces are not allowed here: $(head -n 1 err)"

# What ssh would do, with a fresh environment; each host's monotonic clock is its own.
agent=$tmp/agent
cat >"$agent" <<END
#!/bin/bash
host=\$1; shift
seconds=${SECONDS_A:-1000}; [ \$host = $host_a ] || seconds=${SECONDS_B:-7000}
exec env -i PATH="\$PATH" HOME="\$HOME" ip netns exec \$host unshare --uts --time --monotonic \$seconds --fork \\
    bash -c "hostname \$host; cd '$tmp'; \$*"
END
chmod +x "$agent"
# shellcheck disable=SC2034
case $MPI in
openmpi)
    hosts=(--host $host_a:2,$host_b:2 --mca plm_rsh_agent "$agent" --mca plm_rsh_no_tree_spawn 1
        --mca oob_tcp_if_include "$net.0/24" --mca btl_tcp_if_include "$net.0/24")
    ;;
mpich)
    hosts=(-launcher rsh -launcher-exec "$agent" -localhost here -hosts $host_a:2,$host_b:2)
    ;;
esac

pass()
{
    passed=()
    for variable; do
        case $MPI in
        openmpi) passed+=(-x "$variable") ;;
        mpich) passed+=(-genv "${variable%%=*}" "${variable#*=}") ;;
        esac
    done
}
