{{/* The settings of the daemon, without secrets. Those of `settings` come last. */}}
{{- define "orchd.settings" -}}
{{- $settings := dict
  "ORCH_BACKEND" "kubernetes"
  "ORCH_HOST_ID" (include "orchd.hostId" .)
  "ORCH_KUBERNETES_NAMESPACE" (include "orchd.engineNamespace" .)
  "ORCH_KUBERNETES_IMAGE" (include "orchd.image" (list .Values.engines.image .Chart))
  "ORCH_KUBERNETES_PULL_POLICY" .Values.engines.image.pullPolicy
  "ORCH_KUBERNETES_STORAGE_CLASS" .Values.engines.storageClass
  "ORCH_KUBERNETES_VOLUME_SIZE" .Values.engines.volumeSize
  "ORCH_KUBERNETES_RUNTIME_CLASS" .Values.engines.runtimeClass
  "ORCH_PUBLIC_URL" (include "orchd.publicUrl" .)
  "ORCH_REPLICA_URL" "http://$(POD_IP):7700"
  "ORCH_BROKER_URL" (include "orchd.brokerUrl" .)
  "ORCH_ENGINE_EGRESS" (include "orchd.engineEgress" .)
  "LLM_PROVIDER" .Values.model.provider
  "LLM_MODEL" .Values.model.name
  "LLM_BASE_URL" .Values.model.baseUrl }}
{{- range $name, $value := merge (dict) .Values.settings $settings }}
{{- if ne (toString $value) "" }}
{{ $name }}: {{ $value | toString | quote }}
{{- end }}
{{- end }}
{{- end }}
