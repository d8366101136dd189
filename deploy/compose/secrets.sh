#!/bin/sh
# Makes the folder of secrets that docker-compose.yml mounts (MALIPO_SECRETS, ./secrets): passwords and keys of our own,
# and the database's addresses with them. What is there stays, so it may be run again. The providers' secrets are put
# beside them by hand, as secrets/malipo/STK_PASSKEY; one that the environment holds becomes a file.
set -eu
folder=${MALIPO_SECRETS:-./secrets}
umask 077
mkdir -p "$folder"
# Whoever may not enter the outer folder gets to nothing, and it may have been there before; inside, each container's
# user reads what it is given.
chmod 700 "$folder"
umask 022
mkdir -p "$folder/malipo" "$folder/migrate" "$folder/mysql" "$folder/temporal"

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
keep migrate/DATABASE_URL "$(text malipo/DATABASE_URL)"
keep migrate/MALIPO_MIGRATE_DATABASE_URL "$(address "malipo_migrate:$(text mysql/migrate_password)")"

for name in MALIPO_FX_SOURCE MALIPO_REPLICA_URLS MALIPO_SMTP_URL STK_CONSUMER_KEY STK_CONSUMER_SECRET STK_PASSKEY \
  STK_SECURITY_CREDENTIAL MOMO_TOKEN MOMO_REQUEST_KEY XB_SECRET_KEY XB_PUBLISHABLE_KEY XB_CHALLENGE XB_WEBHOOK_SECRET \
  WALLETPAY_CLIENT_ID WALLETPAY_CLIENT_SECRET WALLETPAY_WEBHOOK_ID CARDPROC_CONSUMER_KEY CARDPROC_CONSUMER_SECRET \
  OTEL_EXPORTER_OTLP_HEADERS; do
  given=$(printenv "$name" || true)
  [ -z "$given" ] || keep "malipo/$name" "$given"
done
