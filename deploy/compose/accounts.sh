#!/bin/sh
# MySQL's image runs this once, when the data folder is empty. malipo_migrate owns the schema. malipo can only log in until
# the migration grants the rights of src/store/service-privileges.ts. Temporal's account can use only its own databases.
password() { cat "/run/secrets/mysql/$1_password"; }
MYSQL_PWD=$(password root) mysql --user=root <<SQL
CREATE USER 'malipo_migrate'@'%' IDENTIFIED BY '$(password migrate)';
GRANT ALL PRIVILEGES ON malipo.* TO 'malipo_migrate'@'%' WITH GRANT OPTION;
CREATE USER 'malipo'@'%' IDENTIFIED BY '$(password service)';
CREATE USER 'temporal'@'%' IDENTIFIED BY '$(password temporal)';
GRANT ALL PRIVILEGES ON temporal.* TO 'temporal'@'%';
GRANT ALL PRIVILEGES ON temporal_visibility.* TO 'temporal'@'%';
SQL
