{{- define "tailback.name" -}}
{{- $own := .Values.nameOverride | default "tailback" }}
{{- if contains $own .Release.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-%s" .Release.Name $own | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "tailback.account" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "tailback.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "tailback.selector" -}}
app.kubernetes.io/name: tailback
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tailback.labels" -}}
{{ include "tailback.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "tailback.config" -}}
{{- $config := fromToml .Values.config }}
{{- with $config.Error }}{{ fail (printf "config is not valid TOML: %s" .) }}{{ end }}
{{- toJson $config }}
{{- end }}

{{- /* The scalers that use the pod's own service account, as a JSON object with one list. */}}
{{- define "tailback.scalers" -}}
{{- $found := list }}
{{- range $pool := (include "tailback.config" . | fromJson).pool }}
{{- with $pool.scaler }}
{{- if and (has .kind (list "kubernetes" "arc")) (not .url) (not .token_env) }}{{ $found = append $found . }}{{ end }}
{{- end }}
{{- end }}
{{- dict "scalers" $found | toJson }}
{{- end }}

{{- /* Every http or https address in a value of the parsed configuration, one on each line. */}}
{{- define "tailback.addresses" -}}
{{- if kindIs "map" . }}{{ range $_, $value := . }}{{ include "tailback.addresses" $value }}{{ end }}
{{- else if kindIs "slice" . }}{{ range . }}{{ include "tailback.addresses" . }}{{ end }}
{{- else if kindIs "string" . }}{{ if regexMatch "^https?://\\S+$" . }}{{ printf "%s\n" . }}{{ end }}
{{- end }}
{{- end }}

{{- /* TCP ports that are open to every address, as a JSON object with one list. A port of a service is not that of
its pods: connections to pods are allowed without it. */}}
{{- define "tailback.ports" -}}
{{- $ports := list 443 6443 }}
{{- range include "tailback.addresses" (include "tailback.config" . | fromJson) | splitList "\n" | compact }}
{{- $url := urlParse . }}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" }}
{{- $ports = append $ports (int (default (ternary "80" "443" (eq $url.scheme "http")) $port)) }}
{{- end }}
{{- if eq .Values.mode "split" }}{{ range .Values.networkPolicy.redisPorts }}{{ $ports = append $ports (int .) }}{{ end }}{{ end }}
{{- dict "ports" ($ports | uniq) | toJson }}
{{- end }}

{{- /* The pod of one process. Takes: root, command (run, web or worker), resources. */}}
{{- define "tailback.pod" -}}
{{- $values := .root.Values }}
{{- $scalers := (include "tailback.scalers" .root | fromJson).scalers }}
metadata:
  labels:
    {{- include "tailback.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .command }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $values.podAnnotations }}
  annotations: {{ toJson . }}
  {{- end }}
spec:
  serviceAccountName: {{ include "tailback.account" .root }}
  automountServiceAccountToken: {{ not (empty $scalers) }}
  enableServiceLinks: false
  terminationGracePeriodSeconds: 40
  {{- with $values.image.pullSecrets }}
  imagePullSecrets: {{ toJson . }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector: {{ toJson . }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations: {{ toJson . }}
  {{- end }}
  {{- with $values.affinity }}
  affinity: {{ toJson . }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- if ne .command "run" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "tailback.selector" .root | nindent 10 }}
          app.kubernetes.io/component: {{ .command }}
  {{- end }}
  securityContext: {{ toJson $values.podSecurityContext }}
  containers:
    - name: tailback
      image: "{{ $values.image.repository }}{{ with $values.image.digest }}@{{ . }}{{ else }}:{{ $values.image.tag | default .root.Chart.AppVersion }}{{ end }}"
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args: [{{ .command }}]
      env:
        - { name: HOST, value: "0.0.0.0" }
        - { name: PORT, value: "8080" }
        - { name: TAILBACK_WORKER_PORT, value: "8080" }
        - { name: TAILBACK_CONFIG, value: /etc/tailback/tailback.toml }
        {{- range $name, $value := $values.env }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
        {{- range $values.extraEnv }}
        - {{ toJson . }}
        {{- end }}
        {{- if eq $values.mode "split" }}
        - name: REDIS_URL
          valueFrom: { secretKeyRef: { name: {{ $values.existingSecret }}, key: REDIS_URL } }
        {{- end }}
      envFrom:
        - secretRef: { name: {{ $values.existingSecret }} }
      ports:
        - { name: http, containerPort: 8080 }
      startupProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 2, failureThreshold: 45 }
      livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
      readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5, timeoutSeconds: 3 }
      resources: {{ toJson .resources }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: config, mountPath: /etc/tailback, readOnly: true }
        - { name: tmp, mountPath: /tmp }
        - { name: data, mountPath: /data }
        {{- range $values.extraVolumeMounts }}
        - {{ toJson . }}
        {{- end }}
  volumes:
    - name: config
      configMap: { name: {{ include "tailback.name" .root }} }
    - name: tmp
      emptyDir: {}
    {{- if ne .command "run" }}
    - name: data
      emptyDir: {}
    {{- end }}
    {{- range $values.extraVolumes }}
    - {{ toJson . }}
    {{- end }}
{{- end }}
