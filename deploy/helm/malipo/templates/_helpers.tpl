{{- /* The suffix of one build's workers. */}}
{{- define "malipo.suffix" -}}
{{- with .Values.versions.build }}-{{ . }}{{ end -}}
{{- end }}

{{- /* Labels of an object: (list $ "component"). */}}
{{- define "malipo.labels" -}}
app.kubernetes.io/component: {{ index . 1 }}
app.kubernetes.io/part-of: malipo
{{- include "malipo.build" (index . 0) }}
{{- end }}

{{- /* What selects the pods of a component: (list $ "component"). */}}
{{- define "malipo.selector" -}}
app.kubernetes.io/component: {{ index . 1 }}
{{- include "malipo.build" (index . 0) }}
{{- end }}

{{- define "malipo.build" }}
{{- with .Values.versions.build }}
malipo/build: {{ . | quote }}
{{- end }}
{{- end }}

{{- /* The secret settings of this deployment, of all processes, as a JSON list. */}}
{{- define "malipo.secrets" -}}
{{- $known := .Files.Get "files/secrets.yaml" | fromYaml }}
{{- $names := $known.always }}
{{- range .Values.rails }}{{ $names = concat $names (index $known.rails .) }}{{ end }}
{{- if .Values.mail.enabled }}{{ $names = append $names "MALIPO_SMTP_URL" }}{{ end }}
{{- concat $names .Values.furtherSecrets | uniq | toJson }}
{{- end }}

{{- /* The settings of the API, the portal and the workers, as JSON. */}}
{{- define "malipo.settings" -}}
{{- $v := .Values }}
{{- $data := dict
  "MALIPO_API_HOST" "0.0.0.0"
  "MALIPO_OPS_HOST" "0.0.0.0"
  "MALIPO_PORTAL_HOST" "0.0.0.0"
  "MALIPO_PORTAL_HEALTH" "0.0.0.0:9466"
  "MALIPO_WORKER_METRICS" "0.0.0.0:9464"
  "MALIPO_WORKER_HEALTH" "0.0.0.0:9465"
  "MALIPO_ENV" $v.environment
  "MALIPO_PUBLIC_URL" $v.hosts.api
  "MALIPO_PORTAL_URL" $v.hosts.portal
  "MALIPO_TRUSTED_PROXIES" (join "," $v.trustedProxies)
  "MALIPO_RAILS" (join "," $v.rails)
  "MALIPO_TIMEZONE" $v.timezone
  "TEMPORAL_ADDRESS" $v.temporal.address
  "TEMPORAL_NAMESPACE" $v.temporal.workflows
}}
{{- with $v.temporal.uiUrl }}{{ $_ := set $data "MALIPO_TEMPORAL_UI_URL" . }}{{ end }}
{{- if ne $v.temporal.taskQueue "malipo" }}{{ $_ := set $data "MALIPO_TASK_QUEUE" $v.temporal.taskQueue }}{{ end }}
{{- with $v.versions.deployment }}{{ $_ := set $data "MALIPO_DEPLOYMENT" . }}{{ end }}
{{- if $v.tracing.enabled }}{{ $_ := set $data "OTEL_EXPORTER_OTLP_ENDPOINT" $v.tracing.endpoint }}{{ end }}
{{- if $v.tls.enabled }}
{{- $_ := set $data "TEMPORAL_TLS_SERVER_CA_CERT_PATH" "/run/secrets/temporal/ca.crt" }}
{{- $_ := set $data "TEMPORAL_TLS_CLIENT_CERT_PATH" "/run/secrets/temporal/tls.crt" }}
{{- $_ := set $data "TEMPORAL_TLS_CLIENT_KEY_PATH" "/run/secrets/temporal/tls.key" }}
{{- end }}
{{- range include "malipo.secrets" . | fromJsonArray }}
{{- $_ := set $data (printf "%s_FILE" .) (printf "/run/secrets/malipo/%s" .) }}
{{- end }}
{{- mustMergeOverwrite $data $v.settings | toJson }}
{{- end }}

{{- /* A changed setting changes the map's name, so that the pods are replaced: the name that Kustomize gives. */}}
{{- define "malipo.settingsName" -}}
{{- $name := printf "malipo-settings%s" (include "malipo.suffix" .) }}
{{- $map := dict "kind" "ConfigMap" "name" "" "data" (include "malipo.settings" . | fromJson) }}
{{- $hash := $map | toJson | sha256sum | trunc 10 }}
{{- $hash = $hash | replace "0" "g" | replace "1" "h" | replace "3" "k" | replace "a" "m" | replace "e" "t" }}
{{- printf "%s-%s" $name $hash }}
{{- end }}

{{- define "malipo.image" -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- end }}

{{- /* What all pods have in common: (list $ "process"). */}}
{{- define "malipo.pod" -}}
serviceAccountName: malipo
automountServiceAccountToken: false
# The service `malipo-api` would set MALIPO_API_PORT to an address; that is a setting of ours.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "malipo.spread" -}}
topologySpreadConstraints:
  - topologyKey: kubernetes.io/hostname
    maxSkew: 1
    whenUnsatisfiable: DoNotSchedule
    nodeTaintsPolicy: Honor
    labelSelector:
      matchLabels:
        {{- include "malipo.selector" . | nindent 8 }}
    # Pods of the old version do not count during a rollout.
    matchLabelKeys: [pod-template-hash]
  - topologyKey: topology.kubernetes.io/zone
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "malipo.selector" . | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
{{- end }}

{{- /* The container's rights and files: (list $ "process"). */}}
{{- define "malipo.confined" -}}
{{- $ := index . 0 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: secrets, mountPath: /run/secrets/malipo, readOnly: true }
  - { name: tmp, mountPath: /tmp }
  {{- if $.Values.tls.enabled }}
  {{- if ne (index . 1) "migrate" }}
  - { name: temporal, mountPath: /run/secrets/temporal, readOnly: true }
  {{- end }}
  - { name: database, mountPath: /run/secrets/database, readOnly: true }
  {{- end }}
{{- end }}

{{- /* Only the secrets that the process uses: (list $ "process"). The mode is 0440. */}}
{{- define "malipo.volumes" -}}
{{- $ := index . 0 }}
{{- $process := index . 1 }}
{{- $uses := ($.Files.Get "files/secrets.yaml" | fromYaml).uses }}
{{- $names := list "DATABASE_URL" "MALIPO_MIGRATE_DATABASE_URL" }}
{{- if ne $process "migrate" }}{{ $names = include "malipo.secrets" $ | fromJsonArray }}{{ end }}
volumes:
  - name: secrets
    secret:
      secretName: {{ index $.Values.secrets $process }}
      defaultMode: 288
      items:
        {{- range $names }}
        {{- if has $process (index $uses .) }}
        - { key: {{ . }}, path: {{ . }} }
        {{- end }}
        {{- end }}
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
  {{- if $.Values.tls.enabled }}
  {{- if ne $process "migrate" }}
  - name: temporal
    secret: { secretName: {{ $.Values.secrets.tls }}, defaultMode: 288 }
  {{- end }}
  - name: database
    secret: { secretName: {{ $.Values.secrets.databaseCa }}, defaultMode: 288 }
  {{- end }}
{{- end }}

{{- /* One side of a network policy's flow: CIDR blocks if there are any, else a namespace: (list addresses namespace). */}}
{{- define "malipo.peer" -}}
{{- if index . 0 }}
{{- range index . 0 }}
- ipBlock: { cidr: {{ . }} }
{{- end }}
{{- else }}
- namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: {{ index . 1 }} } }
{{- end }}
{{- end }}

{{- /* Public addresses: no private network, and no cloud's metadata (169.254.169.254, fd00:ec2::254). */}}
{{- define "malipo.internet" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      - 0.0.0.0/8
      - 10.0.0.0/8
      - 100.64.0.0/10
      - 127.0.0.0/8
      - 169.254.0.0/16
      - 172.16.0.0/12
      - 192.168.0.0/16
      - 224.0.0.0/3
- ipBlock:
    cidr: 2000::/3
{{- end }}
