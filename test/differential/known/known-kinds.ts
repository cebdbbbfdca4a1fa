import { inKinds, inPath, onlyOneTells, type KnownDifference } from './occurrence.ts'

const SCALED: readonly string[] = ['DaemonSet', 'Deployment', 'ReplicaSet', 'ReplicationController', 'StatefulSet']

/** Of the built-in kinds. */
export const KINDS: readonly KnownDifference[] = [
  {
    pattern: /^status\.conditions: real \[.*\], allot \[.*"type":"DisruptionTarget","status":"True".*\]$/,
    reason: 'a pod that is evicted says so in its conditions',
    since: '1.26',
  },
  {
    pattern:
      /^(?:message|details\.causes): real .*, allot .*spec\.scaleTargetRef\.apiVersion.*apiVersion must specify API group|^(?:message|details\.causes): real .*, allot .*apiVersion must specify API group.*spec\.scaleTargetRef\.apiVersion/,
    when: inPath(/\/horizontalpodautoscalers/),
    reason: 'the target of an autoscaler must name its group',
    since: '1.33',
  },
  {
    pattern:
      /^(?:spec\.manualSelector: real nothing, allot false|metadata\.managedFields\[\d+\]\.fieldsV1\.f:spec\.f:manualSelector: real nothing, allot \{\})$/,
    when: inKinds('Job'),
    reason: 'jobs say that they make their selector themselves',
    since: '1.31',
  },
  {
    pattern: /^(?:message|details\.causes): real .*spec\.dataSource.*, allot .*spec\.dataSourceRef/,
    when: inPath(/\/persistentvolumeclaims/),
    reason: 'the newer field says the same as the older one, and is checked too',
    since: '1.24',
  },
  {
    pattern:
      /^(?:spec\.dataSourceRef: real nothing, allot \{|metadata\.managedFields\[\d+\]\.fieldsV1\.f:spec\.f:dataSourceRef: real nothing)/,
    when: inKinds('PersistentVolumeClaim'),
    reason: 'the newer field says the same as the older one',
    since: '1.24',
  },
  {
    pattern:
      /^metadata\.managedFields\[\d+\]\.fieldsV1\.(?:\S*\.)?f:(?:nodeSelector|fieldRef|resourceFieldRef|secretKeyRef|configMapKeyRef|selector|claimRef|secretRef|imagePullSecrets|required|roleRef|scaleTargetRef|involvedObject|regarding|target|scopeSelector|port|resource|requiredDuringSchedulingIgnoredDuringExecution)\.\S*: real \{\}, allot nothing$/,
    reason: 'these maps and references have one owner as a whole',
    since: '1.21',
  },
  {
    pattern:
      /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:status\.f:conditions\.\S+\.f:last(?:Probe|Transition|Heartbeat|Update)Time: real \{\}, allot nothing$/,
    reason: 'times that are not set are not written, so nobody owns them',
    since: 'allot',
  },
  {
    pattern: /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:status: real \{"f:replicas":\{\}\}, allot nothing$/,
    when: inKinds(...SCALED),
    reason: 'what a request says of the status in vain it does not own',
    since: '1.22',
  },
  {
    pattern: /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:spec\.f:hard\.f:\S+: real \{\}, allot nothing$/,
    when: inPath(/\/resourcequotas\/[^/]+\/status$/),
    reason: 'what a request says of the spec in vain it does not own',
    since: '1.22',
  },
  {
    pattern:
      /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:spec\.f:(?:internalTrafficPolicy|allocateLoadBalancerNodePorts): real nothing, allot \{\}$/,
    when: inKinds('Service'),
    reason: 'services are given these fields',
    since: '1.22',
  },
  {
    pattern:
      /^spec\.(?:internalTrafficPolicy: real nothing, allot "Cluster"|allocateLoadBalancerNodePorts: real nothing, allot true|ipFamilies: real nothing, allot \["IPv\d"(?:,"IPv\d")?\]|ipFamilyPolicy: real nothing, allot "\w+")$/,
    when: inKinds('Service'),
    reason: 'services are given these fields',
    since: '1.22',
  },
  {
    pattern:
      /^details\.causes\[\d+\]\.field: real (?:"data\[%s\](\S+)", allot "data\1"|"(\S+)\.matchExpressions\.(match\S+)", allot "\2\.labelSelector\.\3")$/,
    reason: 'the paths of these fields were wrong',
    since: '1.25',
  },
  {
    pattern: onlyOneTells('kube-controller-manager'),
    when: inKinds(...SCALED, 'PersistentVolume', 'ResourceQuota', 'Namespace'),
    reason: 'controllers write their part at moments of their own, and allot does not run all of them',
    since: 'allot',
  },
  {
    pattern: /^status\.phase: real "Available", allot "Pending"$/,
    when: inKinds('PersistentVolume'),
    reason: 'no controller that allot runs would bind the volume',
    since: 'allot',
  },
  {
    pattern:
      /^status: real \{(?:"observedGeneration":\d+,)?(?:"\w+":\d+,)*"conditions":\[\{"type":"(?:Available|Progressing)".*\}, allot nothing$/,
    when: inKinds('Deployment'),
    reason: 'the controllers that allot does not run here say how far they are',
    since: 'allot',
  },
  {
    pattern:
      /^status\.(?:observedGeneration|collisionCount|currentRevision|updateRevision|currentReplicas|unavailableReplicas): real (?:\d+|"[-\w]+"), allot nothing$/,
    when: inKinds(...SCALED),
    reason: 'the controllers that allot does not run here say how far they are',
    since: 'allot',
  },
  {
    pattern: /^status\.startTime: real "TIME", allot nothing$/,
    when: inKinds('Job'),
    reason: 'the controllers that allot does not run here say how far they are',
    since: 'allot',
  },
  {
    pattern: /^status(?:\.(?:hard|used))?: real nothing, allot \{/,
    when: inKinds('ResourceQuota'),
    reason: 'a quota is counted as it is written, and upstream when its controller comes to it, if that runs',
    since: 'allot',
  },
  {
    pattern: /^status\.availableReplicas: real nothing, allot \d+$/,
    when: inKinds('StatefulSet'),
    reason: 'the number is given from the start',
    since: '1.22',
  },
  {
    pattern: /^status\.lastPhaseTransitionTime: real nothing, allot "TIME"$/,
    when: inKinds('PersistentVolume'),
    reason: 'volumes tell since when they are as they are',
    since: '1.28',
  },
  {
    pattern:
      /^spec\.(?:persistentVolumeClaimRetentionPolicy|updateStrategy\.rollingUpdate\.maxSurge|completionMode|podReplacementPolicy|suspend): real nothing, allot /,
    when: inKinds('DaemonSet', 'Job', 'StatefulSet'),
    reason: 'workloads are given these fields',
    since: '1.27',
  },
  {
    pattern:
      /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:spec\.f:(?:persistentVolumeClaimRetentionPolicy: real nothing, allot \{.*\}|(?:updateStrategy\.f:rollingUpdate\.f:maxSurge|completionMode|podReplacementPolicy|suspend): real nothing, allot \{\})$/,
    when: inKinds('DaemonSet', 'Job', 'StatefulSet'),
    reason: 'workloads are given these fields',
    since: '1.27',
  },
  {
    pattern:
      /^(?:metadata\.labels|spec\.selector\.matchLabels|spec\.template\.metadata\.labels)\.(?:batch\.kubernetes\.io\/)?(?:controller-uid|job-name): real (?:nothing, allot "[^"]*"|"[^"]*", allot nothing)$/,
    when: inKinds('Job'),
    reason: 'what marks the pods of a job has a domain',
    since: '1.27',
  },
  {
    pattern: /^metadata\.generation: real (?:nothing|\d+), allot \d+$/,
    when: inKinds('Pod', 'Job'),
    reason: 'pods and jobs count the changes of their spec',
    since: '1.33',
  },
  {
    pattern: /^metadata\.managedFields: real \[\{[^[]*"fieldsV1":\{"f:status":.*, allot nothing$/,
    when: inKinds('Node'),
    reason: 'what a request says of the status in vain it does not own',
    since: '1.22',
  },
  {
    pattern:
      /^(?:spec\.parameters\.scope: real nothing, allot "Cluster"|metadata\.managedFields\[\d+\]\.fieldsV1\.f:spec\.f:parameters\.f:(?:scope: real nothing, allot \{\}|apiGroup: real \{\}, allot nothing))$/,
    when: inKinds('IngressClass'),
    reason: 'parameters of a class have a scope and always say it',
    since: '1.22',
  },
  {
    pattern:
      /^spec(?:\.taints)?: real (?:\{"taints":)?\[\{"key":"node\.kubernetes\.io\/not-ready","effect":"NoSchedule"\}\]\}?, allot nothing$/,
    reason: 'no controller that allot runs would take this taint away when the node is ready',
    since: 'allot',
  },
  {
    pattern: /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:series\.f:lastObservedTime: real \{\}, allot nothing$/,
    when: inPath(/\/events/),
    reason: 'a time that is not given is owned by nobody',
    since: '1.21',
  },
  {
    pattern:
      /^(?:message: real "Event .* is invalid: .*reportingController.*", allot "Event .* is invalid: .*reportingComponent.*"|details\.causes\[\d+\]\.field: real "reportingController", allot "reportingComponent")$/,
    when: inPath(/^\/api\/v1\/.*\/events$/),
    reason: 'complaints name the field as core/v1 does',
    since: '1.21',
  },
  {
    pattern:
      /^(?:message|details\.causes): real .*Forbidden: HugePages require cpu or memory.*, allot .* is not positive integer multiple of hugepages-/,
    when: inPath(/\/pods$/),
    reason: 'of huge pages one has whole ones',
    since: '1.26',
  },
]
