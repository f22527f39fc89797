{{- define "orchd.name" -}}
{{- if contains "orchd" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-orchd" (.Release.Name | trunc 44 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "orchd.selector" -}}
app.kubernetes.io/name: orchd
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: daemon
{{- end }}

{{- define "orchd.labels" -}}
app.kubernetes.io/name: orchd
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "orchd.image" -}}
{{- $image := index . 0 }}{{ $chart := index . 1 -}}
{{- if $image.digest }}{{ printf "%s@%s" $image.repository $image.digest }}{{ else }}{{ printf "%s:%s" $image.repository (default $chart.AppVersion $image.tag) }}{{ end }}
{{- end }}

{{- define "orchd.hostId" -}}
{{ default (printf "%s.%s" .Release.Namespace (include "orchd.name" .) | trunc 63 | trimSuffix "-" | trimSuffix ".") .Values.hostId }}
{{- end }}

{{- define "orchd.engineNamespace" -}}{{ default .Release.Namespace .Values.engines.namespace }}{{- end }}

{{- define "orchd.serviceAccount" -}}
{{ if .Values.serviceAccount.create }}{{ default (include "orchd.name" .) .Values.serviceAccount.name }}{{ else }}{{ default "default" .Values.serviceAccount.name }}{{ end }}
{{- end }}

{{- define "orchd.keysSecret" -}}{{ default (printf "%s-keys" (include "orchd.name" .)) .Values.keys.existingSecret }}{{- end }}
{{- define "orchd.databaseSecret" -}}{{ default (printf "%s-database" (include "orchd.name" .)) .Values.database.existingSecret }}{{- end }}
{{- define "orchd.databaseKey" -}}{{ if .Values.database.existingSecret }}{{ .Values.database.key }}{{ else }}url{{ end }}{{- end }}

{{- define "orchd.serviceUrl" -}}
{{ printf "http://%s.%s.svc:%v" (include "orchd.name" .) .Release.Namespace .Values.service.port }}
{{- end }}

{{- define "orchd.publicUrl" -}}
{{ default (include "orchd.serviceUrl" .) .Values.publicUrl }}
{{- end }}

{{- define "orchd.broker" -}}{{ printf "%s-broker" (include "orchd.name" .) }}{{- end }}

{{- define "orchd.brokerSecret" -}}{{ default (include "orchd.broker" .) .Values.broker.existingSecret }}{{- end }}

{{- define "orchd.brokerSelector" -}}
app.kubernetes.io/name: orchd
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: broker
{{- end }}

{{- define "orchd.brokerUrl" -}}
{{ if .Values.broker.enabled }}{{ printf "http://%s.%s.svc:7701" (include "orchd.broker" .) .Release.Namespace }}{{ end }}
{{- end }}

{{/* How tools reach what tool_network permits: broker or direct. */}}
{{- define "orchd.engineEgress" -}}
{{ if and .Values.broker.enabled (eq .Values.engines.egress "broker") }}broker{{ else }}direct{{ end }}
{{- end }}

{{- define "orchd.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "orchd.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Annotations of what runs after an uninstall, with its weight. */}}
{{- define "orchd.removal" -}}
helm.sh/hook: post-delete
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
