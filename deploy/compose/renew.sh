#!/bin/sh
# Renews the certificates each day. Only MySQL must be told: it reads its files at its start, and when it is asked.
set -eu
reload() {
  [ "${MYSQL_REPLICAS:-1}" = 0 ] || mysql --host=mysql --user=root --ssl-mode=VERIFY_IDENTITY \
    --ssl-ca="${CERTIFICATES:-/certificates}/mysql/ca.pem" --execute='ALTER INSTANCE RELOAD TLS'
}

MYSQL_PWD=$(cat "${SECRETS:-/run/secrets}/mysql/root_password")
export MYSQL_PWD
while :; do
  if sh "$(dirname "$0")/certificates.sh" && reload; then
    touch "${RENEWED:-/tmp/renewed}"
    sleep 86400
  else
    echo 'the certificates were not renewed, or MySQL did not load them; next try in a minute' >&2
    sleep 60
  fi
done
