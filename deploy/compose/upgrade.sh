#!/bin/sh
# Replaces the processes of a running deployment by those of the image and settings that .env names, one after the other:
#
#   sh deploy/compose/upgrade.sh              # forward: the migration, then workers, APIs, portals
#   sh deploy/compose/upgrade.sh back         # to the image before: APIs, portals, workers
#   sh deploy/compose/upgrade.sh api portal   # only these
#
# A new container must be ready before an old one ends. The proxy first takes an old API or portal out, and waits for the
# requests that it has. If a new container does not become ready, it is removed, the old ones go on, and the upgrade stops.
# To go on later, run it again: it leaves what is already new.
set -eu
cd "$(dirname "$0")/../.."
# Seconds until a new container must be ready, and until an old one must have answered its requests.
ready_within=${UPGRADE_READY_WITHIN:-180}
answered_within=45

compose() { docker compose --project-directory . --file deploy/compose/production.yml "$@"; }
say() { printf '%s\n' "$*"; }
fail() {
  printf '✗ %s\n' "$*" >&2
  exit 1
}
inspect() { docker inspect --format "$2" "$1"; }
name_of() { inspect "$1" '{{.Name}}' | tr -d /; }
address_of() { inspect "$1" '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}'; }

# A command to HAProxy, by the port that only its own container reaches.
haproxy() { compose exec -T proxy bash -c 'exec 3<>/dev/tcp/127.0.0.1/9999; echo "$1" >&3; cat <&3' - "$1"; }
# HAProxy's servers at an address, as backend/server.
servers_at() { haproxy 'show servers state' | awk -v address="$1" '$5 == address { print $2 "/" $4 }'; }
set_state() { # state, servers
  [ "$#" -gt 1 ] || return 0
  commands=
  state=$1
  shift
  for server; do commands="$commands set server $server state $state;"; done
  haproxy "$commands" > /dev/null
}
is_routed_to() { # address
  haproxy 'show servers state' | awk -v address="$1" '$5 == address && $6 == 2 && $7 == 0 { up = 1 } END { exit !up }'
}
requests_at() { # servers
  haproxy 'show stat' | awk -F, -v servers=" $* " 'index(servers, " " $1 "/" $2 " ") { sum += $5 } END { print sum + 0 }'
}

wait_for() { # seconds, command…
  left=$1
  shift
  until "$@"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    sleep 1
  done
}
is_idle() { [ "$(requests_at "$@")" -eq 0 ]; }
is_healthy() { [ "$(inspect "$1" '{{.State.Health.Status}}')" = healthy ]; }
# Ends the wait early, if the process has ended: Docker has started it again.
is_decided() { is_healthy "$1" || [ "$(inspect "$1" '{{.RestartCount}}')" -gt 1 ]; }

# What a container must have to be new: the hash of its settings, and its image.
mark_of() { inspect "$1" '{{index .Config.Labels "com.docker.compose.config-hash"}} {{.Image}}'; }
new_mark() { # service
  hash=$(compose config --hash "$1" | cut -d ' ' -f 2)
  image=$(compose config "$1" | awk -v service="$1" '
    /^  [^ ]/ { inside = ($1 == service ":") }
    inside && $1 == "image:" { print $2 }')
  id=$(docker image inspect --format '{{.Id}}' "$image") || fail "There is no image $image. Build it, or correct MALIPO_VERSION."
  say "$hash $id"
}

is_behind_proxy() { [ "$1" = api ] || [ "$1" = portal ]; }

start_another() { # service
  before=$(compose ps --quiet "$1")
  count=$(say "$before" | wc -l)
  compose --progress quiet up --detach --no-deps --no-build --no-recreate --scale "$1=$((count + 1))" "$1" || true
  new=
  for candidate in $(compose ps --all --quiet "$1"); do
    case "$before" in *"$candidate"*) ;; *) new=$candidate ;; esac
  done
  [ -n "$new" ] || fail "Docker could not start a new $1. The old ones go on."
  if [ "$(inspect "$new" '{{.State.Status}}')" != created ]; then wait_for "$ready_within" is_decided "$new" || true; fi
  if ! is_healthy "$new"; then
    docker logs --tail 20 "$new" >&2 || true
    docker rm --force "$new" > /dev/null
    fail "The new $1 did not become ready: its last lines are above. It is removed, and the old ones go on."
  fi
  say "  $(name_of "$new") is ready"
}

end_old() { # service, container
  name=$(name_of "$2")
  servers=
  if is_behind_proxy "$1"; then
    wait_for 30 is_routed_to "$(address_of "$new")" || fail "The proxy does not see the new $1 as ready. $name goes on."
    servers=$(servers_at "$(address_of "$2")")
    # shellcheck disable=SC2086
    set_state drain $servers
    # shellcheck disable=SC2086
    wait_for "$answered_within" is_idle $servers || say "  $name still has requests after $answered_within s"
  fi
  docker stop "$2" > /dev/null
  docker rm "$2" > /dev/null
  # Docker's DNS gives the places in the proxy to other containers.
  # shellcheck disable=SC2086
  set_state ready $servers
  say "  $name has ended"
}

replace() { # service
  running=$(compose ps --quiet "$1")
  if [ -z "$running" ]; then
    say "$1: none runs"
    return
  fi
  mark=$(new_mark "$1")
  say "$1:"
  for old in $running; do
    if [ "$(mark_of "$old")" = "$mark" ]; then
      say "  $(name_of "$old") is new already"
    else
      start_another "$1"
      end_old "$1" "$old"
    fi
  done
}

case ${1-} in
  '') set -- migrate worker api portal ;;
  back) set -- api portal worker ;;
esac
for step; do
  case $step in
    migrate | worker | api | portal) ;;
    *) fail "Unknown: $step. Use: sh deploy/compose/upgrade.sh [back | migrate | worker | api | portal]" ;;
  esac
done
case " $* " in
  *' worker '*)
    versions=$(compose config worker | awk '$1 == "MALIPO_DEPLOYMENT:" && $2 != "null" && $2 != "\"\"" { print $2 }')
    [ -z "$versions" ] || fail 'Workers with versions (MALIPO_DEPLOYMENT) are not replaced in place: see "Workers with versions" in docs/upgrades.md.'
    ;;
esac
# An upgrade that was interrupted may have left a server out.
known=$(haproxy 'show servers state') || fail 'The proxy does not run. Start the deployment first.'
# shellcheck disable=SC2046
set_state ready $(say "$known" | awk 'NR > 2 && NF > 6 { print $2 "/" $4 }')

for step; do
  if [ "$step" = migrate ]; then
    say 'migrate:'
    compose run --rm --no-deps -T migrate || fail 'The migration failed, and nothing was replaced.'
  else
    replace "$step"
  fi
done
say 'Done.'
