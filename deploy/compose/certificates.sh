#!/bin/sh
# Makes this deployment's own authority, and its certificates for MySQL, Temporal and their clients. Valid files stay; a
# certificate that expires within two months, or does not match its key, is replaced.
set -eu
folder=${CERTIFICATES:-/certificates}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
authority=$folder/authority

# Ignores the machine's own openssl settings, which may add anything.
cat > "$work/openssl.cnf" <<CNF
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
# Each service of Temporal is a client of the others.
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = \$ENV::NAMES
[client]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
CNF
NAMES=DNS:none
export NAMES
config="-config $work/openssl.cnf"
new_key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'

is_good() { # certificate, key, least number of days that it must be valid
  [ -s "$1" ] && [ -s "$2" ] &&
    openssl x509 -in "$1" -noout -checkend $(($3 * 86400)) > /dev/null &&
    openssl verify -CAfile "$authority/ca.pem" "$1" > /dev/null 2>&1 &&
    [ "$(openssl x509 -in "$1" -noout -pubkey)" = "$(openssl pkey -in "$2" -pubout)" ]
}

mkdir -p "$authority"
if ! is_good "$authority/ca.pem" "$authority/ca.key" 900; then
  # shellcheck disable=SC2086
  openssl req $config -x509 -extensions authority $new_key -sha256 -days 3650 -subj '/CN=Malipo deployment' \
    -keyout "$work/ca.key" -out "$work/ca.pem" 2> /dev/null
  install -m 0400 "$work/ca.key" "$authority/ca.key"
  install -m 0444 "$work/ca.pem" "$authority/ca.pem"
  echo 'made the authority'
fi

issue() { # folder, name, kind
  to=$folder/$1
  mkdir -p "$to"
  install -m 0444 "$authority/ca.pem" "$to/ca.pem"
  is_good "$to/$2.pem" "$to/$2.key" 60 && return
  NAMES=DNS:$2,DNS:localhost
  # shellcheck disable=SC2086
  openssl req $config -new $new_key -subj "/CN=$2" -keyout "$work/key" -out "$work/request" 2> /dev/null
  openssl x509 -req -in "$work/request" -CA "$authority/ca.pem" -CAkey "$authority/ca.key" -sha256 -days 825 \
    -set_serial "0x$(openssl rand -hex 16)" -extfile "$work/openssl.cnf" -extensions "$3" -out "$work/pem" 2> /dev/null
  # World-readable, because each image serves as another user, and each gets only its own folder.
  install -m 0444 "$work/key" "$to/$2.key"
  install -m 0444 "$work/pem" "$to/$2.pem"
  echo "made the certificate of $2"
}
issue mysql mysql server
issue temporal temporal server
issue client client client
