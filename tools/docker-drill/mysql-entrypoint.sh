#!/bin/sh
# What the entry point of the image mysql:8.4 does with its variables, for MariaDB. The command's arguments are the server's
# options.
set -eu
data=/var/lib/mysql
as_mysql() { setpriv --reuid=mysql --regid=mysql --init-groups "$@"; }

chown -R mysql:mysql "$data" /run/mysqld
test -d "$data/mysql" || as_mysql mariadb-install-db --no-defaults --datadir="$data" --skip-test-db > /dev/null
cat > /tmp/accounts.sql << EOF
CREATE USER IF NOT EXISTS 'root'@'%' IDENTIFIED BY '$MYSQL_ROOT_PASSWORD';
GRANT ALL PRIVILEGES ON *.* TO 'root'@'%' WITH GRANT OPTION;
CREATE DATABASE IF NOT EXISTS $MYSQL_DATABASE;
CREATE USER IF NOT EXISTS '$MYSQL_USER'@'%' IDENTIFIED BY '$MYSQL_PASSWORD';
EOF
chmod 644 /tmp/accounts.sql
exec setpriv --reuid=mysql --regid=mysql --init-groups mariadbd --no-defaults --datadir="$data" \
  --socket=/run/mysqld/mysqld.sock --bind-address=0.0.0.0 --init-file=/tmp/accounts.sql "$@"
