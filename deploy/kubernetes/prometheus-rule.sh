#!/bin/sh
# Prints the alerts of deploy/prometheus as a PrometheusRule of the Prometheus operator, for `kubectl apply -f -` in namespace malipo.
set -eu
cat <<RULE
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: malipo
  labels:
    app.kubernetes.io/part-of: malipo
spec:
RULE
sed 's/^/  /' "$(dirname "$0")/../prometheus/alerts.yml"
