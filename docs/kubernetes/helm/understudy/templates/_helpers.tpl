{{- /* The name of every object, and of the Service that the application connects to. */ -}}
{{- define "understudy.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 57 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 57 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- define "understudy.selector" -}}
app.kubernetes.io/name: understudy
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "understudy.labels" -}}
{{ include "understudy.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "understudy.secret" -}}
{{ .Values.secret.existing | default (include "understudy.name" .) }}
{{- end }}

{{- define "understudy.probe" -}}
httpGet: { path: {{ .path }}, port: admin, scheme: {{ .root.Values.probeScheme }} }
{{- end }}

{{- /* Fails if the container's port is not that of the address in the configuration: nobody would listen there. */ -}}
{{- define "understudy.port" -}}
{{- if kindIs "string" .address -}}
{{- if ne (regexFind "[0-9]+$" .address) (toString .port) -}}
{{- fail (printf "ports.%s is %v, and config.%s.address is %s: set both to one port" .name .port .key .address) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* What a pod of its own and a sidecar have in common. */ -}}
{{- define "understudy.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - secretRef: { name: {{ include "understudy.secret" . }} }
env:
  - { name: UNDERSTUDY_OPTS, value: {{ .Values.jvmOptions | quote }} }
startupProbe:
  {{- include "understudy.probe" (dict "root" . "path" "/health/live") | nindent 2 }}
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  {{- include "understudy.probe" (dict "root" . "path" "/health/live") | nindent 2 }}
  periodSeconds: 10
  timeoutSeconds: 5
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
  seccompProfile: { type: RuntimeDefault }
volumeMounts:
  - { name: understudy-config, mountPath: /etc/understudy, readOnly: true }
  # Native libraries are unpacked here.
  - { name: understudy-tmp, mountPath: /tmp }
  {{- with .Values.volumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "understudy.volumes" -}}
- name: understudy-config
  configMap: { name: {{ include "understudy.name" . }} }
- name: understudy-tmp
  emptyDir: {}
{{- with .Values.volumes }}
{{- toYaml . | nindent 0 }}
{{- end }}
{{- end }}

{{- /*
For the initContainers of another chart: it starts before the application and ends after it (Kubernetes 1.29). Without
a readiness probe: while the primary is away, the application itself should say so.
*/ -}}
{{- define "understudy.sidecar" -}}
- name: understudy
  restartPolicy: Always
  ports:
    - { name: admin, containerPort: {{ .Values.ports.admin }} }
  {{- include "understudy.container" . | nindent 2 }}
{{- end }}
