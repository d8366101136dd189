#!/bin/sh
# What docker-entrypoint.sh of the image mysql:8.4 does with the settings of production.yml: makes an empty data folder and
# root's account, runs the scripts of /docker-entrypoint-initdb.d once, and starts the server as its own user.
set -eu
shift
data=/var/lib/mysql socket=/run/mysqld/mysqld.sock
as_mysql() { setpriv --reuid=mysql --regid=mysql --init-groups "$@"; }
server() { as_mysql mysqld --no-defaults --datadir="$data" --socket="$socket" "$@"; }

chown mysql:mysql "$data" /run/mysqld
if ! [ -d "$data/mysql" ]; then
  server --initialize-insecure "$@"
  server --skip-networking --mysqlx=OFF --pid-file=/tmp/first.pid "$@" &
  first=$!
  until mysqladmin --user=root --silent ping 2> /dev/null; do
    kill -0 "$first"
    sleep 0.2
  done
  password=$(cat "$MYSQL_ROOT_PASSWORD_FILE")
  mysql --user=root << SQL
SET SESSION sql_log_bin = 0;
ALTER USER 'root'@'localhost' IDENTIFIED BY '$password';
CREATE USER 'root'@'%' IDENTIFIED BY '$password';
GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;
CREATE DATABASE $MYSQL_DATABASE;
SQL
  for script in /docker-entrypoint-initdb.d/*.sh; do sh "$script"; done
  MYSQL_PWD=$password mysqladmin --user=root shutdown
  wait
fi
exec setpriv --reuid=mysql --regid=mysql --init-groups mysqld --no-defaults --datadir="$data" --socket="$socket" "$@"
