#!/bin/sh
# Run once by MySQL's image, when the data folder is empty. malipo_migrate owns the schema; malipo may only log in until
# the migration grants it what src/store/service-privileges.ts says; Temporal's account may touch its own databases only.
password() { cat "/run/secrets/mysql/$1_password"; }
MYSQL_PWD=$(password root) mysql --user=root <<SQL
CREATE USER 'malipo_migrate'@'%' IDENTIFIED BY '$(password migrate)';
GRANT ALL PRIVILEGES ON malipo.* TO 'malipo_migrate'@'%' WITH GRANT OPTION;
CREATE USER 'malipo'@'%' IDENTIFIED BY '$(password service)';
CREATE USER 'temporal'@'%' IDENTIFIED BY '$(password temporal)';
GRANT ALL PRIVILEGES ON temporal.* TO 'temporal'@'%';
GRANT ALL PRIVILEGES ON temporal_visibility.* TO 'temporal'@'%';
SQL
