#!/bin/sh
# The alerts of deploy/prometheus as a rule of the Prometheus operator's, for `kubectl apply --namespace malipo -f -`.
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
