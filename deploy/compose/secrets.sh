#!/bin/sh
# Makes the folder of secrets (MALIPO_SECRETS, ./secrets): our own passwords and keys, and the database URLs with them.
# Existing files stay. A secret in the environment becomes a file. production.yml mounts a folder for each process, with
# only the secrets that it uses: this script copies them from secrets/malipo. So put a provider's secret there, such as
# secrets/malipo/STK_PASSKEY, and run this again after each change.
set -eu
folder=${MALIPO_SECRETS:-./secrets}
umask 077
mkdir -p "$folder"
# A user who cannot enter the outer folder reads nothing. It may have existed before. Inside, each container's user reads
# only its own folder.
chmod 700 "$folder"
umask 022
mkdir -p "$folder/malipo" "$folder/api" "$folder/worker" "$folder/portal" "$folder/migrate" "$folder/mysql" "$folder/temporal"

keep() { # file, text
  [ -s "$folder/$1" ] || printf '%s\n' "$2" > "$folder/$1"
}
random() { openssl rand -hex 24; }
text() { cat "$folder/$1"; }

keep mysql/root_password "${MYSQL_ROOT_PASSWORD:-$(random)}"
keep mysql/migrate_password "${MYSQL_MIGRATE_PASSWORD:-$(random)}"
keep mysql/service_password "${MYSQL_PASSWORD:-$(random)}"
keep mysql/temporal_password "${TEMPORAL_DB_PASSWORD:-$(random)}"
keep temporal/password "$(text mysql/temporal_password)"
keep malipo/MALIPO_SECRET_KEYS "${MALIPO_SECRET_KEYS:-k1:$(openssl rand -base64 32)}"
keep malipo/MALIPO_AUDIT_KEY "${MALIPO_AUDIT_KEY:-a1:$(openssl rand -base64 32)}"

address() { echo "mysql://$1@mysql:3306/malipo?ssl-ca=/run/certificates/ca.pem"; }
keep malipo/DATABASE_URL "$(address "malipo:$(text mysql/service_password)")"
keep migrate/MALIPO_MIGRATE_DATABASE_URL "$(address "malipo_migrate:$(text mysql/migrate_password)")"

# Who uses which secret, as in src/secret-files.ts.
every='DATABASE_URL MALIPO_SECRET_KEYS MALIPO_AUDIT_KEY MALIPO_SMTP_URL'
notifications='MOMO_TOKEN MOMO_REQUEST_KEY XB_CHALLENGE XB_WEBHOOK_SECRET WALLETPAY_CLIENT_ID WALLETPAY_CLIENT_SECRET
  WALLETPAY_WEBHOOK_ID OTEL_EXPORTER_OTLP_HEADERS'
api="$every $notifications MALIPO_REPLICA_URLS"
worker="$every $notifications MALIPO_FX_SOURCE STK_CONSUMER_KEY STK_CONSUMER_SECRET STK_PASSKEY STK_SECURITY_CREDENTIAL
  XB_SECRET_KEY XB_PUBLISHABLE_KEY CARDPROC_CONSUMER_KEY CARDPROC_CONSUMER_SECRET"

for name in $api $worker; do
  given=$(printenv "$name" || true)
  [ -z "$given" ] || keep "malipo/$name" "$given"
done

give() { # process, its secrets
  process=$1
  shift
  for name in "$@"; do
    if [ -s "$folder/malipo/$name" ]; then
      cp "$folder/malipo/$name" "$folder/$process/$name"
    else
      rm -f "$folder/$process/$name"
    fi
  done
}
# shellcheck disable=SC2086 -- lists of names
{
  give api $api
  give worker $worker
  give portal $every
}
give migrate DATABASE_URL
