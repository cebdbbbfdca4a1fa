// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { Condition, LabelSelector, ObjectMeta } from './meta-v1.ts'

export type AWSElasticBlockStoreVolumeSource = {
  readonly fsType?: unknown
  readonly partition?: unknown
  readonly readOnly?: unknown
  readonly volumeID?: unknown
}

export type Affinity = {
  readonly nodeAffinity?: Unchecked<NodeAffinity>
  readonly podAffinity?: Unchecked<PodAffinity>
  readonly podAntiAffinity?: Unchecked<PodAntiAffinity>
}

export type AppArmorProfile = {
  readonly localhostProfile?: unknown
  readonly type?: unknown
}

export type AttachedVolume = {
  readonly devicePath?: unknown
  readonly name?: unknown
}

export type AzureDiskVolumeSource = {
  readonly cachingMode?: unknown
  readonly diskName?: unknown
  readonly diskURI?: unknown
  readonly fsType?: unknown
  readonly kind?: unknown
  readonly readOnly?: unknown
}

export type AzureFilePersistentVolumeSource = {
  readonly readOnly?: unknown
  readonly secretName?: unknown
  readonly secretNamespace?: unknown
  readonly shareName?: unknown
}

export type AzureFileVolumeSource = {
  readonly readOnly?: unknown
  readonly secretName?: unknown
  readonly shareName?: unknown
}

export type Binding = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly target?: Unchecked<ObjectReference>
}

export type CSIPersistentVolumeSource = {
  readonly controllerExpandSecretRef?: Unchecked<SecretReference>
  readonly controllerPublishSecretRef?: Unchecked<SecretReference>
  readonly driver?: unknown
  readonly fsType?: unknown
  readonly nodeExpandSecretRef?: Unchecked<SecretReference>
  readonly nodePublishSecretRef?: Unchecked<SecretReference>
  readonly nodeStageSecretRef?: Unchecked<SecretReference>
  readonly readOnly?: unknown
  readonly volumeAttributes?: unknown
  readonly volumeHandle?: unknown
}

export type CSIVolumeSource = {
  readonly driver?: unknown
  readonly fsType?: unknown
  readonly nodePublishSecretRef?: Unchecked<LocalObjectReference>
  readonly readOnly?: unknown
  readonly volumeAttributes?: unknown
}

export type Capabilities = {
  readonly add?: unknown
  readonly drop?: unknown
}

export type CephFSPersistentVolumeSource = {
  readonly monitors?: unknown
  readonly path?: unknown
  readonly readOnly?: unknown
  readonly secretFile?: unknown
  readonly secretRef?: Unchecked<SecretReference>
  readonly user?: unknown
}

export type CephFSVolumeSource = {
  readonly monitors?: unknown
  readonly path?: unknown
  readonly readOnly?: unknown
  readonly secretFile?: unknown
  readonly secretRef?: Unchecked<LocalObjectReference>
  readonly user?: unknown
}

export type CinderPersistentVolumeSource = {
  readonly fsType?: unknown
  readonly readOnly?: unknown
  readonly secretRef?: Unchecked<SecretReference>
  readonly volumeID?: unknown
}

export type CinderVolumeSource = {
  readonly fsType?: unknown
  readonly readOnly?: unknown
  readonly secretRef?: Unchecked<LocalObjectReference>
  readonly volumeID?: unknown
}

export type ClientIPConfig = {
  readonly timeoutSeconds?: unknown
}

export type ClusterTrustBundleProjection = {
  readonly labelSelector?: Unchecked<LabelSelector>
  readonly name?: unknown
  readonly optional?: unknown
  readonly path?: unknown
  readonly signerName?: unknown
}

export type ComponentCondition = {
  readonly error?: unknown
  readonly message?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type ComponentStatus = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly conditions?: Unchecked<readonly ComponentCondition[]>
}

export type ConfigMap = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly binaryData?: unknown
  readonly data?: unknown
  readonly immutable?: unknown
}

export type ConfigMapEnvSource = {
  readonly name?: unknown
  readonly optional?: unknown
}

export type ConfigMapKeySelector = {
  readonly key?: unknown
  readonly name?: unknown
  readonly optional?: unknown
}

export type ConfigMapNodeConfigSource = {
  readonly kubeletConfigKey?: unknown
  readonly name?: unknown
  readonly namespace?: unknown
  readonly resourceVersion?: unknown
  readonly uid?: unknown
}

export type ConfigMapProjection = {
  readonly items?: Unchecked<readonly KeyToPath[]>
  readonly name?: unknown
  readonly optional?: unknown
}

export type ConfigMapVolumeSource = {
  readonly defaultMode?: unknown
  readonly items?: Unchecked<readonly KeyToPath[]>
  readonly name?: unknown
  readonly optional?: unknown
}

export type Container = {
  readonly args?: unknown
  readonly command?: unknown
  readonly env?: Unchecked<readonly EnvVar[]>
  readonly envFrom?: Unchecked<readonly EnvFromSource[]>
  readonly image?: unknown
  readonly imagePullPolicy?: unknown
  readonly lifecycle?: Unchecked<Lifecycle>
  readonly livenessProbe?: Unchecked<Probe>
  readonly name?: unknown
  readonly ports?: Unchecked<readonly ContainerPort[]>
  readonly readinessProbe?: Unchecked<Probe>
  readonly resizePolicy?: Unchecked<readonly ContainerResizePolicy[]>
  readonly resources?: Unchecked<ResourceRequirements>
  readonly restartPolicy?: unknown
  readonly restartPolicyRules?: Unchecked<readonly ContainerRestartRule[]>
  readonly securityContext?: Unchecked<SecurityContext>
  readonly startupProbe?: Unchecked<Probe>
  readonly stdin?: unknown
  readonly stdinOnce?: unknown
  readonly terminationMessagePath?: unknown
  readonly terminationMessagePolicy?: unknown
  readonly tty?: unknown
  readonly volumeDevices?: Unchecked<readonly VolumeDevice[]>
  readonly volumeMounts?: Unchecked<readonly VolumeMount[]>
  readonly workingDir?: unknown
}

export type ContainerExtendedResourceRequest = {
  readonly containerName?: unknown
  readonly requestName?: unknown
  readonly resourceName?: unknown
}

export type ContainerImage = {
  readonly names?: unknown
  readonly sizeBytes?: unknown
}

export type ContainerPort = {
  readonly containerPort?: unknown
  readonly hostIP?: unknown
  readonly hostPort?: unknown
  readonly name?: unknown
  readonly protocol?: unknown
}

export type ContainerResizePolicy = {
  readonly resourceName?: unknown
  readonly restartPolicy?: unknown
}

export type ContainerRestartRule = {
  readonly action?: unknown
  readonly exitCodes?: Unchecked<ContainerRestartRuleOnExitCodes>
}

export type ContainerRestartRuleOnExitCodes = {
  readonly operator?: unknown
  readonly values?: unknown
}

export type ContainerState = {
  readonly running?: Unchecked<ContainerStateRunning>
  readonly terminated?: Unchecked<ContainerStateTerminated>
  readonly waiting?: Unchecked<ContainerStateWaiting>
}

export type ContainerStateRunning = {
  readonly startedAt?: unknown
}

export type ContainerStateTerminated = {
  readonly containerID?: unknown
  readonly exitCode?: unknown
  readonly finishedAt?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly signal?: unknown
  readonly startedAt?: unknown
}

export type ContainerStateWaiting = {
  readonly message?: unknown
  readonly reason?: unknown
}

export type ContainerStatus = {
  readonly allocatedResources?: unknown
  readonly allocatedResourcesStatus?: Unchecked<readonly ResourceStatus[]>
  readonly containerID?: unknown
  readonly image?: unknown
  readonly imageID?: unknown
  readonly lastState?: Unchecked<ContainerState>
  readonly name?: unknown
  readonly ready?: unknown
  readonly resources?: Unchecked<ResourceRequirements>
  readonly restartCount?: unknown
  readonly started?: unknown
  readonly state?: Unchecked<ContainerState>
  readonly stopSignal?: unknown
  readonly user?: Unchecked<ContainerUser>
  readonly volumeMounts?: Unchecked<readonly VolumeMountStatus[]>
}

export type ContainerUser = {
  readonly linux?: Unchecked<LinuxContainerUser>
}

export type DaemonEndpoint = {
  readonly Port?: unknown
}

export type DownwardAPIProjection = {
  readonly items?: Unchecked<readonly DownwardAPIVolumeFile[]>
}

export type DownwardAPIVolumeFile = {
  readonly fieldRef?: Unchecked<ObjectFieldSelector>
  readonly mode?: unknown
  readonly path?: unknown
  readonly resourceFieldRef?: Unchecked<ResourceFieldSelector>
}

export type DownwardAPIVolumeSource = {
  readonly defaultMode?: unknown
  readonly items?: Unchecked<readonly DownwardAPIVolumeFile[]>
}

export type EmptyDirVolumeSource = {
  readonly medium?: unknown
  readonly sizeLimit?: unknown
}

export type EndpointAddress = {
  readonly hostname?: unknown
  readonly ip?: unknown
  readonly nodeName?: unknown
  readonly targetRef?: Unchecked<ObjectReference>
}

export type EndpointPort = {
  readonly appProtocol?: unknown
  readonly name?: unknown
  readonly port?: unknown
  readonly protocol?: unknown
}

export type EndpointSubset = {
  readonly addresses?: Unchecked<readonly EndpointAddress[]>
  readonly notReadyAddresses?: Unchecked<readonly EndpointAddress[]>
  readonly ports?: Unchecked<readonly EndpointPort[]>
}

export type Endpoints = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly subsets?: Unchecked<readonly EndpointSubset[]>
}

export type EnvFromSource = {
  readonly configMapRef?: Unchecked<ConfigMapEnvSource>
  readonly prefix?: unknown
  readonly secretRef?: Unchecked<SecretEnvSource>
}

export type EnvVar = {
  readonly name?: unknown
  readonly value?: unknown
  readonly valueFrom?: Unchecked<EnvVarSource>
}

export type EnvVarSource = {
  readonly configMapKeyRef?: Unchecked<ConfigMapKeySelector>
  readonly fieldRef?: Unchecked<ObjectFieldSelector>
  readonly fileKeyRef?: Unchecked<FileKeySelector>
  readonly resourceFieldRef?: Unchecked<ResourceFieldSelector>
  readonly secretKeyRef?: Unchecked<SecretKeySelector>
}

export type EphemeralContainer = {
  readonly args?: unknown
  readonly command?: unknown
  readonly env?: Unchecked<readonly EnvVar[]>
  readonly envFrom?: Unchecked<readonly EnvFromSource[]>
  readonly image?: unknown
  readonly imagePullPolicy?: unknown
  readonly lifecycle?: Unchecked<Lifecycle>
  readonly livenessProbe?: Unchecked<Probe>
  readonly name?: unknown
  readonly ports?: Unchecked<readonly ContainerPort[]>
  readonly readinessProbe?: Unchecked<Probe>
  readonly resizePolicy?: Unchecked<readonly ContainerResizePolicy[]>
  readonly resources?: Unchecked<ResourceRequirements>
  readonly restartPolicy?: unknown
  readonly restartPolicyRules?: Unchecked<readonly ContainerRestartRule[]>
  readonly securityContext?: Unchecked<SecurityContext>
  readonly startupProbe?: Unchecked<Probe>
  readonly stdin?: unknown
  readonly stdinOnce?: unknown
  readonly targetContainerName?: unknown
  readonly terminationMessagePath?: unknown
  readonly terminationMessagePolicy?: unknown
  readonly tty?: unknown
  readonly volumeDevices?: Unchecked<readonly VolumeDevice[]>
  readonly volumeMounts?: Unchecked<readonly VolumeMount[]>
  readonly workingDir?: unknown
}

export type EphemeralVolumeSource = {
  readonly volumeClaimTemplate?: Unchecked<PersistentVolumeClaimTemplate>
}

export type Event = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly action?: unknown
  readonly count?: unknown
  readonly eventTime?: unknown
  readonly firstTimestamp?: unknown
  readonly involvedObject?: Unchecked<ObjectReference>
  readonly lastTimestamp?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly related?: Unchecked<ObjectReference>
  readonly reportingComponent?: unknown
  readonly reportingInstance?: unknown
  readonly series?: Unchecked<EventSeries>
  readonly source?: Unchecked<EventSource>
  readonly type?: unknown
}

export type EventSeries = {
  readonly count?: unknown
  readonly lastObservedTime?: unknown
}

export type EventSource = {
  readonly component?: unknown
  readonly host?: unknown
}

export type ExecAction = {
  readonly command?: unknown
}

export type FCVolumeSource = {
  readonly fsType?: unknown
  readonly lun?: unknown
  readonly readOnly?: unknown
  readonly targetWWNs?: unknown
  readonly wwids?: unknown
}

export type FileKeySelector = {
  readonly key?: unknown
  readonly optional?: unknown
  readonly path?: unknown
  readonly volumeName?: unknown
}

export type FlexPersistentVolumeSource = {
  readonly driver?: unknown
  readonly fsType?: unknown
  readonly options?: unknown
  readonly readOnly?: unknown
  readonly secretRef?: Unchecked<SecretReference>
}

export type FlexVolumeSource = {
  readonly driver?: unknown
  readonly fsType?: unknown
  readonly options?: unknown
  readonly readOnly?: unknown
  readonly secretRef?: Unchecked<LocalObjectReference>
}

export type FlockerVolumeSource = {
  readonly datasetName?: unknown
  readonly datasetUUID?: unknown
}

export type GCEPersistentDiskVolumeSource = {
  readonly fsType?: unknown
  readonly partition?: unknown
  readonly pdName?: unknown
  readonly readOnly?: unknown
}

export type GRPCAction = {
  readonly port?: unknown
  readonly service?: unknown
}

export type GitRepoVolumeSource = {
  readonly directory?: unknown
  readonly repository?: unknown
  readonly revision?: unknown
}

export type GlusterfsPersistentVolumeSource = {
  readonly endpoints?: unknown
  readonly endpointsNamespace?: unknown
  readonly path?: unknown
  readonly readOnly?: unknown
}

export type GlusterfsVolumeSource = {
  readonly endpoints?: unknown
  readonly path?: unknown
  readonly readOnly?: unknown
}

export type HTTPGetAction = {
  readonly host?: unknown
  readonly httpHeaders?: Unchecked<readonly HTTPHeader[]>
  readonly path?: unknown
  readonly port?: unknown
  readonly scheme?: unknown
}

export type HTTPHeader = {
  readonly name?: unknown
  readonly value?: unknown
}

export type HostAlias = {
  readonly hostnames?: unknown
  readonly ip?: unknown
}

export type HostIP = {
  readonly ip?: unknown
}

export type HostPathVolumeSource = {
  readonly path?: unknown
  readonly type?: unknown
}

export type ISCSIPersistentVolumeSource = {
  readonly chapAuthDiscovery?: unknown
  readonly chapAuthSession?: unknown
  readonly fsType?: unknown
  readonly initiatorName?: unknown
  readonly iqn?: unknown
  readonly iscsiInterface?: unknown
  readonly lun?: unknown
  readonly portals?: unknown
  readonly readOnly?: unknown
  readonly secretRef?: Unchecked<SecretReference>
  readonly targetPortal?: unknown
}

export type ISCSIVolumeSource = {
  readonly chapAuthDiscovery?: unknown
  readonly chapAuthSession?: unknown
  readonly fsType?: unknown
  readonly initiatorName?: unknown
  readonly iqn?: unknown
  readonly iscsiInterface?: unknown
  readonly lun?: unknown
  readonly portals?: unknown
  readonly readOnly?: unknown
  readonly secretRef?: Unchecked<LocalObjectReference>
  readonly targetPortal?: unknown
}

export type ImageVolumeSource = {
  readonly pullPolicy?: unknown
  readonly reference?: unknown
}

export type ImageVolumeStatus = {
  readonly imageRef?: unknown
}

export type KeyToPath = {
  readonly key?: unknown
  readonly mode?: unknown
  readonly path?: unknown
}

export type Lifecycle = {
  readonly postStart?: Unchecked<LifecycleHandler>
  readonly preStop?: Unchecked<LifecycleHandler>
  readonly stopSignal?: unknown
}

export type LifecycleHandler = {
  readonly exec?: Unchecked<ExecAction>
  readonly httpGet?: Unchecked<HTTPGetAction>
  readonly sleep?: Unchecked<SleepAction>
  readonly tcpSocket?: Unchecked<TCPSocketAction>
}

export type LimitRange = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<LimitRangeSpec>
}

export type LimitRangeItem = {
  readonly default?: unknown
  readonly defaultRequest?: unknown
  readonly max?: unknown
  readonly maxLimitRequestRatio?: unknown
  readonly min?: unknown
  readonly type?: unknown
}

export type LimitRangeSpec = {
  readonly limits?: Unchecked<readonly LimitRangeItem[]>
}

export type LinuxContainerUser = {
  readonly gid?: unknown
  readonly supplementalGroups?: unknown
  readonly uid?: unknown
}

export type LoadBalancerIngress = {
  readonly hostname?: unknown
  readonly ip?: unknown
  readonly ipMode?: unknown
  readonly ports?: Unchecked<readonly PortStatus[]>
}

export type LoadBalancerStatus = {
  readonly ingress?: Unchecked<readonly LoadBalancerIngress[]>
}

export type LocalObjectReference = {
  readonly name?: unknown
}

export type LocalVolumeSource = {
  readonly fsType?: unknown
  readonly path?: unknown
}

export type ModifyVolumeStatus = {
  readonly status?: unknown
  readonly targetVolumeAttributesClassName?: unknown
}

export type NFSVolumeSource = {
  readonly path?: unknown
  readonly readOnly?: unknown
  readonly server?: unknown
}

export type Namespace = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<NamespaceSpec>
  readonly status?: Unchecked<NamespaceStatus>
}

export type NamespaceCondition = {
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type NamespaceSpec = {
  readonly finalizers?: unknown
}

export type NamespaceStatus = {
  readonly conditions?: Unchecked<readonly NamespaceCondition[]>
  readonly phase?: unknown
}

export type Node = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<NodeSpec>
  readonly status?: Unchecked<NodeStatus>
}

export type NodeAddress = {
  readonly address?: unknown
  readonly type?: unknown
}

export type NodeAffinity = {
  readonly preferredDuringSchedulingIgnoredDuringExecution?: Unchecked<readonly PreferredSchedulingTerm[]>
  readonly requiredDuringSchedulingIgnoredDuringExecution?: Unchecked<NodeSelector>
}

export type NodeAllocatableResourceClaimStatus = {
  readonly containers?: unknown
  readonly resourceClaimName?: unknown
  readonly resources?: unknown
}

export type NodeCondition = {
  readonly lastHeartbeatTime?: unknown
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type NodeConfigSource = {
  readonly configMap?: Unchecked<ConfigMapNodeConfigSource>
}

export type NodeConfigStatus = {
  readonly active?: Unchecked<NodeConfigSource>
  readonly assigned?: Unchecked<NodeConfigSource>
  readonly error?: unknown
  readonly lastKnownGood?: Unchecked<NodeConfigSource>
}

export type NodeDaemonEndpoints = {
  readonly kubeletEndpoint?: Unchecked<DaemonEndpoint>
}

export type NodeFeatures = {
  readonly supplementalGroupsPolicy?: unknown
}

export type NodeRuntimeHandler = {
  readonly features?: Unchecked<NodeRuntimeHandlerFeatures>
  readonly name?: unknown
}

export type NodeRuntimeHandlerFeatures = {
  readonly recursiveReadOnlyMounts?: unknown
  readonly userNamespaces?: unknown
}

export type NodeSelector = {
  readonly nodeSelectorTerms?: Unchecked<readonly NodeSelectorTerm[]>
}

export type NodeSelectorRequirement = {
  readonly key?: unknown
  readonly operator?: unknown
  readonly values?: unknown
}

export type NodeSelectorTerm = {
  readonly matchExpressions?: Unchecked<readonly NodeSelectorRequirement[]>
  readonly matchFields?: Unchecked<readonly NodeSelectorRequirement[]>
}

export type NodeSpec = {
  readonly configSource?: Unchecked<NodeConfigSource>
  readonly externalID?: unknown
  readonly podCIDR?: unknown
  readonly podCIDRs?: unknown
  readonly providerID?: unknown
  readonly taints?: Unchecked<readonly Taint[]>
  readonly unschedulable?: unknown
}

export type NodeStatus = {
  readonly addresses?: Unchecked<readonly NodeAddress[]>
  readonly allocatable?: unknown
  readonly capacity?: unknown
  readonly conditions?: Unchecked<readonly NodeCondition[]>
  readonly config?: Unchecked<NodeConfigStatus>
  readonly daemonEndpoints?: Unchecked<NodeDaemonEndpoints>
  readonly declaredFeatures?: unknown
  readonly features?: Unchecked<NodeFeatures>
  readonly images?: Unchecked<readonly ContainerImage[]>
  readonly nodeInfo?: Unchecked<NodeSystemInfo>
  readonly phase?: unknown
  readonly runtimeHandlers?: Unchecked<readonly NodeRuntimeHandler[]>
  readonly volumesAttached?: Unchecked<readonly AttachedVolume[]>
  readonly volumesInUse?: unknown
}

export type NodeSwapStatus = {
  readonly capacity?: unknown
}

export type NodeSystemInfo = {
  readonly architecture?: unknown
  readonly bootID?: unknown
  readonly containerRuntimeVersion?: unknown
  readonly kernelVersion?: unknown
  readonly kubeProxyVersion?: unknown
  readonly kubeletVersion?: unknown
  readonly machineID?: unknown
  readonly operatingSystem?: unknown
  readonly osImage?: unknown
  readonly swap?: Unchecked<NodeSwapStatus>
  readonly systemUUID?: unknown
}

export type ObjectFieldSelector = {
  readonly apiVersion?: unknown
  readonly fieldPath?: unknown
}

export type ObjectReference = {
  readonly apiVersion?: unknown
  readonly fieldPath?: unknown
  readonly kind?: unknown
  readonly name?: unknown
  readonly namespace?: unknown
  readonly resourceVersion?: unknown
  readonly uid?: unknown
}

export type PersistentVolume = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<PersistentVolumeSpec>
  readonly status?: Unchecked<PersistentVolumeStatus>
}

export type PersistentVolumeClaim = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<PersistentVolumeClaimSpec>
  readonly status?: Unchecked<PersistentVolumeClaimStatus>
}

export type PersistentVolumeClaimCondition = {
  readonly lastProbeTime?: unknown
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type PersistentVolumeClaimSpec = {
  readonly accessModes?: unknown
  readonly dataSource?: Unchecked<TypedLocalObjectReference>
  readonly dataSourceRef?: Unchecked<TypedObjectReference>
  readonly resources?: Unchecked<VolumeResourceRequirements>
  readonly selector?: Unchecked<LabelSelector>
  readonly storageClassName?: unknown
  readonly volumeAttributesClassName?: unknown
  readonly volumeMode?: unknown
  readonly volumeName?: unknown
}

export type PersistentVolumeClaimStatus = {
  readonly accessModes?: unknown
  readonly allocatedResourceStatuses?: unknown
  readonly allocatedResources?: unknown
  readonly capacity?: unknown
  readonly conditions?: Unchecked<readonly PersistentVolumeClaimCondition[]>
  readonly currentVolumeAttributesClassName?: unknown
  readonly modifyVolumeStatus?: Unchecked<ModifyVolumeStatus>
  readonly phase?: unknown
}

export type PersistentVolumeClaimTemplate = {
  readonly metadata?: Unchecked<ObjectMeta>
  readonly spec?: Unchecked<PersistentVolumeClaimSpec>
}

export type PersistentVolumeClaimVolumeSource = {
  readonly claimName?: unknown
  readonly readOnly?: unknown
}

export type PersistentVolumeSpec = {
  readonly accessModes?: unknown
  readonly awsElasticBlockStore?: Unchecked<AWSElasticBlockStoreVolumeSource>
  readonly azureDisk?: Unchecked<AzureDiskVolumeSource>
  readonly azureFile?: Unchecked<AzureFilePersistentVolumeSource>
  readonly capacity?: unknown
  readonly cephfs?: Unchecked<CephFSPersistentVolumeSource>
  readonly cinder?: Unchecked<CinderPersistentVolumeSource>
  readonly claimRef?: Unchecked<ObjectReference>
  readonly csi?: Unchecked<CSIPersistentVolumeSource>
  readonly fc?: Unchecked<FCVolumeSource>
  readonly flexVolume?: Unchecked<FlexPersistentVolumeSource>
  readonly flocker?: Unchecked<FlockerVolumeSource>
  readonly gcePersistentDisk?: Unchecked<GCEPersistentDiskVolumeSource>
  readonly glusterfs?: Unchecked<GlusterfsPersistentVolumeSource>
  readonly hostPath?: Unchecked<HostPathVolumeSource>
  readonly iscsi?: Unchecked<ISCSIPersistentVolumeSource>
  readonly local?: Unchecked<LocalVolumeSource>
  readonly mountOptions?: unknown
  readonly nfs?: Unchecked<NFSVolumeSource>
  readonly nodeAffinity?: Unchecked<VolumeNodeAffinity>
  readonly persistentVolumeReclaimPolicy?: unknown
  readonly photonPersistentDisk?: Unchecked<PhotonPersistentDiskVolumeSource>
  readonly portworxVolume?: Unchecked<PortworxVolumeSource>
  readonly quobyte?: Unchecked<QuobyteVolumeSource>
  readonly rbd?: Unchecked<RBDPersistentVolumeSource>
  readonly scaleIO?: Unchecked<ScaleIOPersistentVolumeSource>
  readonly storageClassName?: unknown
  readonly storageos?: Unchecked<StorageOSPersistentVolumeSource>
  readonly volumeAttributesClassName?: unknown
  readonly volumeMode?: unknown
  readonly vsphereVolume?: Unchecked<VsphereVirtualDiskVolumeSource>
}

export type PersistentVolumeStatus = {
  readonly lastPhaseTransitionTime?: unknown
  readonly message?: unknown
  readonly phase?: unknown
  readonly reason?: unknown
}

export type PhotonPersistentDiskVolumeSource = {
  readonly fsType?: unknown
  readonly pdID?: unknown
}

export type Pod = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<PodSpec>
  readonly status?: Unchecked<PodStatus>
}

export type PodAffinity = {
  readonly preferredDuringSchedulingIgnoredDuringExecution?: Unchecked<readonly WeightedPodAffinityTerm[]>
  readonly requiredDuringSchedulingIgnoredDuringExecution?: Unchecked<readonly PodAffinityTerm[]>
}

export type PodAffinityTerm = {
  readonly labelSelector?: Unchecked<LabelSelector>
  readonly matchLabelKeys?: unknown
  readonly mismatchLabelKeys?: unknown
  readonly namespaceSelector?: Unchecked<LabelSelector>
  readonly namespaces?: unknown
  readonly topologyKey?: unknown
}

export type PodAntiAffinity = {
  readonly preferredDuringSchedulingIgnoredDuringExecution?: Unchecked<readonly WeightedPodAffinityTerm[]>
  readonly requiredDuringSchedulingIgnoredDuringExecution?: Unchecked<readonly PodAffinityTerm[]>
}

export type PodCertificateProjection = {
  readonly certificateChainPath?: unknown
  readonly credentialBundlePath?: unknown
  readonly keyPath?: unknown
  readonly keyType?: unknown
  readonly maxExpirationSeconds?: unknown
  readonly signerName?: unknown
  readonly userAnnotations?: unknown
}

export type PodCondition = {
  readonly lastProbeTime?: unknown
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly observedGeneration?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type PodDNSConfig = {
  readonly nameservers?: unknown
  readonly options?: Unchecked<readonly PodDNSConfigOption[]>
  readonly searches?: unknown
}

export type PodDNSConfigOption = {
  readonly name?: unknown
  readonly value?: unknown
}

export type PodExtendedResourceClaimStatus = {
  readonly requestMappings?: Unchecked<readonly ContainerExtendedResourceRequest[]>
  readonly resourceClaimName?: unknown
}

export type PodIP = {
  readonly ip?: unknown
}

export type PodOS = {
  readonly name?: unknown
}

export type PodReadinessGate = {
  readonly conditionType?: unknown
}

export type PodResourceClaim = {
  readonly name?: unknown
  readonly resourceClaimName?: unknown
  readonly resourceClaimTemplateName?: unknown
}

export type PodResourceClaimStatus = {
  readonly name?: unknown
  readonly resourceClaimName?: unknown
}

export type PodSchedulingGate = {
  readonly name?: unknown
}

export type PodSchedulingGroup = {
  readonly podGroupName?: unknown
}

export type PodSecurityContext = {
  readonly appArmorProfile?: Unchecked<AppArmorProfile>
  readonly fsGroup?: unknown
  readonly fsGroupChangePolicy?: unknown
  readonly runAsGroup?: unknown
  readonly runAsNonRoot?: unknown
  readonly runAsUser?: unknown
  readonly seLinuxChangePolicy?: unknown
  readonly seLinuxOptions?: Unchecked<SELinuxOptions>
  readonly seccompProfile?: Unchecked<SeccompProfile>
  readonly supplementalGroups?: unknown
  readonly supplementalGroupsPolicy?: unknown
  readonly sysctls?: Unchecked<readonly Sysctl[]>
  readonly windowsOptions?: Unchecked<WindowsSecurityContextOptions>
}

export type PodSpec = {
  readonly activeDeadlineSeconds?: unknown
  readonly affinity?: Unchecked<Affinity>
  readonly automountServiceAccountToken?: unknown
  readonly containers?: Unchecked<readonly Container[]>
  readonly dnsConfig?: Unchecked<PodDNSConfig>
  readonly dnsPolicy?: unknown
  readonly enableServiceLinks?: unknown
  readonly ephemeralContainers?: Unchecked<readonly EphemeralContainer[]>
  readonly hostAliases?: Unchecked<readonly HostAlias[]>
  readonly hostIPC?: unknown
  readonly hostNetwork?: unknown
  readonly hostPID?: unknown
  readonly hostUsers?: unknown
  readonly hostname?: unknown
  readonly hostnameOverride?: unknown
  readonly imagePullSecrets?: Unchecked<readonly LocalObjectReference[]>
  readonly initContainers?: Unchecked<readonly Container[]>
  readonly nodeName?: unknown
  readonly nodeSelector?: unknown
  readonly os?: Unchecked<PodOS>
  readonly overhead?: unknown
  readonly preemptionPolicy?: unknown
  readonly priority?: unknown
  readonly priorityClassName?: unknown
  readonly readinessGates?: Unchecked<readonly PodReadinessGate[]>
  readonly resourceClaims?: Unchecked<readonly PodResourceClaim[]>
  readonly resources?: Unchecked<ResourceRequirements>
  readonly restartPolicy?: unknown
  readonly runtimeClassName?: unknown
  readonly schedulerName?: unknown
  readonly schedulingGates?: Unchecked<readonly PodSchedulingGate[]>
  readonly schedulingGroup?: Unchecked<PodSchedulingGroup>
  readonly securityContext?: Unchecked<PodSecurityContext>
  readonly serviceAccount?: unknown
  readonly serviceAccountName?: unknown
  readonly setHostnameAsFQDN?: unknown
  readonly shareProcessNamespace?: unknown
  readonly subdomain?: unknown
  readonly terminationGracePeriodSeconds?: unknown
  readonly tolerations?: Unchecked<readonly Toleration[]>
  readonly topologySpreadConstraints?: Unchecked<readonly TopologySpreadConstraint[]>
  readonly volumes?: Unchecked<readonly Volume[]>
}

export type PodStatus = {
  readonly allocatedResources?: unknown
  readonly conditions?: Unchecked<readonly PodCondition[]>
  readonly containerStatuses?: Unchecked<readonly ContainerStatus[]>
  readonly ephemeralContainerStatuses?: Unchecked<readonly ContainerStatus[]>
  readonly extendedResourceClaimStatus?: Unchecked<PodExtendedResourceClaimStatus>
  readonly hostIP?: unknown
  readonly hostIPs?: Unchecked<readonly HostIP[]>
  readonly initContainerStatuses?: Unchecked<readonly ContainerStatus[]>
  readonly message?: unknown
  readonly nodeAllocatableResourceClaimStatuses?: Unchecked<readonly NodeAllocatableResourceClaimStatus[]>
  readonly nominatedNodeName?: unknown
  readonly observedGeneration?: unknown
  readonly phase?: unknown
  readonly podIP?: unknown
  readonly podIPs?: Unchecked<readonly PodIP[]>
  readonly qosClass?: unknown
  readonly reason?: unknown
  readonly resize?: unknown
  readonly resourceClaimStatuses?: Unchecked<readonly PodResourceClaimStatus[]>
  readonly resources?: Unchecked<ResourceRequirements>
  readonly startTime?: unknown
}

export type PodTemplate = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly template?: Unchecked<PodTemplateSpec>
}

export type PodTemplateSpec = {
  readonly metadata?: Unchecked<ObjectMeta>
  readonly spec?: Unchecked<PodSpec>
}

export type PortStatus = {
  readonly error?: unknown
  readonly port?: unknown
  readonly protocol?: unknown
}

export type PortworxVolumeSource = {
  readonly fsType?: unknown
  readonly readOnly?: unknown
  readonly volumeID?: unknown
}

export type PreferredSchedulingTerm = {
  readonly preference?: Unchecked<NodeSelectorTerm>
  readonly weight?: unknown
}

export type Probe = {
  readonly exec?: Unchecked<ExecAction>
  readonly failureThreshold?: unknown
  readonly grpc?: Unchecked<GRPCAction>
  readonly httpGet?: Unchecked<HTTPGetAction>
  readonly initialDelaySeconds?: unknown
  readonly periodSeconds?: unknown
  readonly successThreshold?: unknown
  readonly tcpSocket?: Unchecked<TCPSocketAction>
  readonly terminationGracePeriodSeconds?: unknown
  readonly timeoutSeconds?: unknown
}

export type ProjectedVolumeSource = {
  readonly defaultMode?: unknown
  readonly sources?: Unchecked<readonly VolumeProjection[]>
}

export type QuobyteVolumeSource = {
  readonly group?: unknown
  readonly readOnly?: unknown
  readonly registry?: unknown
  readonly tenant?: unknown
  readonly user?: unknown
  readonly volume?: unknown
}

export type RBDPersistentVolumeSource = {
  readonly fsType?: unknown
  readonly image?: unknown
  readonly keyring?: unknown
  readonly monitors?: unknown
  readonly pool?: unknown
  readonly readOnly?: unknown
  readonly secretRef?: Unchecked<SecretReference>
  readonly user?: unknown
}

export type RBDVolumeSource = {
  readonly fsType?: unknown
  readonly image?: unknown
  readonly keyring?: unknown
  readonly monitors?: unknown
  readonly pool?: unknown
  readonly readOnly?: unknown
  readonly secretRef?: Unchecked<LocalObjectReference>
  readonly user?: unknown
}

export type ReplicationController = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<ReplicationControllerSpec>
  readonly status?: Unchecked<ReplicationControllerStatus>
}

export type ReplicationControllerCondition = {
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type ReplicationControllerSpec = {
  readonly minReadySeconds?: unknown
  readonly replicas?: unknown
  readonly selector?: unknown
  readonly template?: Unchecked<PodTemplateSpec>
}

export type ReplicationControllerStatus = {
  readonly availableReplicas?: unknown
  readonly conditions?: Unchecked<readonly ReplicationControllerCondition[]>
  readonly fullyLabeledReplicas?: unknown
  readonly observedGeneration?: unknown
  readonly readyReplicas?: unknown
  readonly replicas?: unknown
}

export type ResourceClaim = {
  readonly name?: unknown
  readonly request?: unknown
}

export type ResourceFieldSelector = {
  readonly containerName?: unknown
  readonly divisor?: unknown
  readonly resource?: unknown
}

export type ResourceHealth = {
  readonly health?: unknown
  readonly message?: unknown
  readonly resourceID?: unknown
}

export type ResourceQuota = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<ResourceQuotaSpec>
  readonly status?: Unchecked<ResourceQuotaStatus>
}

export type ResourceQuotaSpec = {
  readonly hard?: unknown
  readonly scopeSelector?: Unchecked<ScopeSelector>
  readonly scopes?: unknown
}

export type ResourceQuotaStatus = {
  readonly hard?: unknown
  readonly used?: unknown
}

export type ResourceRequirements = {
  readonly claims?: Unchecked<readonly ResourceClaim[]>
  readonly limits?: unknown
  readonly requests?: unknown
}

export type ResourceStatus = {
  readonly name?: unknown
  readonly resources?: Unchecked<readonly ResourceHealth[]>
}

export type SELinuxOptions = {
  readonly level?: unknown
  readonly role?: unknown
  readonly type?: unknown
  readonly user?: unknown
}

export type ScaleIOPersistentVolumeSource = {
  readonly fsType?: unknown
  readonly gateway?: unknown
  readonly protectionDomain?: unknown
  readonly readOnly?: unknown
  readonly secretRef?: Unchecked<SecretReference>
  readonly sslEnabled?: unknown
  readonly storageMode?: unknown
  readonly storagePool?: unknown
  readonly system?: unknown
  readonly volumeName?: unknown
}

export type ScaleIOVolumeSource = {
  readonly fsType?: unknown
  readonly gateway?: unknown
  readonly protectionDomain?: unknown
  readonly readOnly?: unknown
  readonly secretRef?: Unchecked<LocalObjectReference>
  readonly sslEnabled?: unknown
  readonly storageMode?: unknown
  readonly storagePool?: unknown
  readonly system?: unknown
  readonly volumeName?: unknown
}

export type ScopeSelector = {
  readonly matchExpressions?: Unchecked<readonly ScopedResourceSelectorRequirement[]>
}

export type ScopedResourceSelectorRequirement = {
  readonly operator?: unknown
  readonly scopeName?: unknown
  readonly values?: unknown
}

export type SeccompProfile = {
  readonly localhostProfile?: unknown
  readonly type?: unknown
}

export type Secret = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly data?: unknown
  readonly immutable?: unknown
  readonly stringData?: unknown
  readonly type?: unknown
}

export type SecretEnvSource = {
  readonly name?: unknown
  readonly optional?: unknown
}

export type SecretKeySelector = {
  readonly key?: unknown
  readonly name?: unknown
  readonly optional?: unknown
}

export type SecretProjection = {
  readonly items?: Unchecked<readonly KeyToPath[]>
  readonly name?: unknown
  readonly optional?: unknown
}

export type SecretReference = {
  readonly name?: unknown
  readonly namespace?: unknown
}

export type SecretVolumeSource = {
  readonly defaultMode?: unknown
  readonly items?: Unchecked<readonly KeyToPath[]>
  readonly optional?: unknown
  readonly secretName?: unknown
}

export type SecurityContext = {
  readonly allowPrivilegeEscalation?: unknown
  readonly appArmorProfile?: Unchecked<AppArmorProfile>
  readonly capabilities?: Unchecked<Capabilities>
  readonly privileged?: unknown
  readonly procMount?: unknown
  readonly readOnlyRootFilesystem?: unknown
  readonly runAsGroup?: unknown
  readonly runAsNonRoot?: unknown
  readonly runAsUser?: unknown
  readonly seLinuxOptions?: Unchecked<SELinuxOptions>
  readonly seccompProfile?: Unchecked<SeccompProfile>
  readonly windowsOptions?: Unchecked<WindowsSecurityContextOptions>
}

export type Service = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<ServiceSpec>
  readonly status?: Unchecked<ServiceStatus>
}

export type ServiceAccount = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly automountServiceAccountToken?: unknown
  readonly imagePullSecrets?: Unchecked<readonly LocalObjectReference[]>
  readonly secrets?: Unchecked<readonly ObjectReference[]>
}

export type ServiceAccountTokenProjection = {
  readonly audience?: unknown
  readonly expirationSeconds?: unknown
  readonly path?: unknown
}

export type ServicePort = {
  readonly appProtocol?: unknown
  readonly name?: unknown
  readonly nodePort?: unknown
  readonly port?: unknown
  readonly protocol?: unknown
  readonly targetPort?: unknown
}

export type ServiceSpec = {
  readonly allocateLoadBalancerNodePorts?: unknown
  readonly clusterIP?: unknown
  readonly clusterIPs?: unknown
  readonly externalIPs?: unknown
  readonly externalName?: unknown
  readonly externalTrafficPolicy?: unknown
  readonly healthCheckNodePort?: unknown
  readonly internalTrafficPolicy?: unknown
  readonly ipFamilies?: unknown
  readonly ipFamilyPolicy?: unknown
  readonly loadBalancerClass?: unknown
  readonly loadBalancerIP?: unknown
  readonly loadBalancerSourceRanges?: unknown
  readonly ports?: Unchecked<readonly ServicePort[]>
  readonly publishNotReadyAddresses?: unknown
  readonly selector?: unknown
  readonly sessionAffinity?: unknown
  readonly sessionAffinityConfig?: Unchecked<SessionAffinityConfig>
  readonly trafficDistribution?: unknown
  readonly type?: unknown
}

export type ServiceStatus = {
  readonly conditions?: Unchecked<readonly Condition[]>
  readonly loadBalancer?: Unchecked<LoadBalancerStatus>
}

export type SessionAffinityConfig = {
  readonly clientIP?: Unchecked<ClientIPConfig>
}

export type SleepAction = {
  readonly seconds?: unknown
}

export type StorageOSPersistentVolumeSource = {
  readonly fsType?: unknown
  readonly readOnly?: unknown
  readonly secretRef?: Unchecked<ObjectReference>
  readonly volumeName?: unknown
  readonly volumeNamespace?: unknown
}

export type StorageOSVolumeSource = {
  readonly fsType?: unknown
  readonly readOnly?: unknown
  readonly secretRef?: Unchecked<LocalObjectReference>
  readonly volumeName?: unknown
  readonly volumeNamespace?: unknown
}

export type Sysctl = {
  readonly name?: unknown
  readonly value?: unknown
}

export type TCPSocketAction = {
  readonly host?: unknown
  readonly port?: unknown
}

export type Taint = {
  readonly effect?: unknown
  readonly key?: unknown
  readonly timeAdded?: unknown
  readonly value?: unknown
}

export type Toleration = {
  readonly effect?: unknown
  readonly key?: unknown
  readonly operator?: unknown
  readonly tolerationSeconds?: unknown
  readonly value?: unknown
}

export type TopologySelectorLabelRequirement = {
  readonly key?: unknown
  readonly values?: unknown
}

export type TopologySelectorTerm = {
  readonly matchLabelExpressions?: Unchecked<readonly TopologySelectorLabelRequirement[]>
}

export type TopologySpreadConstraint = {
  readonly labelSelector?: Unchecked<LabelSelector>
  readonly matchLabelKeys?: unknown
  readonly maxSkew?: unknown
  readonly minDomains?: unknown
  readonly nodeAffinityPolicy?: unknown
  readonly nodeTaintsPolicy?: unknown
  readonly topologyKey?: unknown
  readonly whenUnsatisfiable?: unknown
}

export type TypedLocalObjectReference = {
  readonly apiGroup?: unknown
  readonly kind?: unknown
  readonly name?: unknown
}

export type TypedObjectReference = {
  readonly apiGroup?: unknown
  readonly kind?: unknown
  readonly name?: unknown
  readonly namespace?: unknown
}

export type Volume = {
  readonly awsElasticBlockStore?: Unchecked<AWSElasticBlockStoreVolumeSource>
  readonly azureDisk?: Unchecked<AzureDiskVolumeSource>
  readonly azureFile?: Unchecked<AzureFileVolumeSource>
  readonly cephfs?: Unchecked<CephFSVolumeSource>
  readonly cinder?: Unchecked<CinderVolumeSource>
  readonly configMap?: Unchecked<ConfigMapVolumeSource>
  readonly csi?: Unchecked<CSIVolumeSource>
  readonly downwardAPI?: Unchecked<DownwardAPIVolumeSource>
  readonly emptyDir?: Unchecked<EmptyDirVolumeSource>
  readonly ephemeral?: Unchecked<EphemeralVolumeSource>
  readonly fc?: Unchecked<FCVolumeSource>
  readonly flexVolume?: Unchecked<FlexVolumeSource>
  readonly flocker?: Unchecked<FlockerVolumeSource>
  readonly gcePersistentDisk?: Unchecked<GCEPersistentDiskVolumeSource>
  readonly gitRepo?: Unchecked<GitRepoVolumeSource>
  readonly glusterfs?: Unchecked<GlusterfsVolumeSource>
  readonly hostPath?: Unchecked<HostPathVolumeSource>
  readonly image?: Unchecked<ImageVolumeSource>
  readonly iscsi?: Unchecked<ISCSIVolumeSource>
  readonly name?: unknown
  readonly nfs?: Unchecked<NFSVolumeSource>
  readonly persistentVolumeClaim?: Unchecked<PersistentVolumeClaimVolumeSource>
  readonly photonPersistentDisk?: Unchecked<PhotonPersistentDiskVolumeSource>
  readonly portworxVolume?: Unchecked<PortworxVolumeSource>
  readonly projected?: Unchecked<ProjectedVolumeSource>
  readonly quobyte?: Unchecked<QuobyteVolumeSource>
  readonly rbd?: Unchecked<RBDVolumeSource>
  readonly scaleIO?: Unchecked<ScaleIOVolumeSource>
  readonly secret?: Unchecked<SecretVolumeSource>
  readonly storageos?: Unchecked<StorageOSVolumeSource>
  readonly vsphereVolume?: Unchecked<VsphereVirtualDiskVolumeSource>
}

export type VolumeDevice = {
  readonly devicePath?: unknown
  readonly name?: unknown
}

export type VolumeMount = {
  readonly mountPath?: unknown
  readonly mountPropagation?: unknown
  readonly name?: unknown
  readonly readOnly?: unknown
  readonly recursiveReadOnly?: unknown
  readonly subPath?: unknown
  readonly subPathExpr?: unknown
}

export type VolumeMountStatus = {
  readonly mountPath?: unknown
  readonly name?: unknown
  readonly readOnly?: unknown
  readonly recursiveReadOnly?: unknown
  readonly volumeStatus?: Unchecked<VolumeStatus>
}

export type VolumeNodeAffinity = {
  readonly required?: Unchecked<NodeSelector>
}

export type VolumeProjection = {
  readonly clusterTrustBundle?: Unchecked<ClusterTrustBundleProjection>
  readonly configMap?: Unchecked<ConfigMapProjection>
  readonly downwardAPI?: Unchecked<DownwardAPIProjection>
  readonly podCertificate?: Unchecked<PodCertificateProjection>
  readonly secret?: Unchecked<SecretProjection>
  readonly serviceAccountToken?: Unchecked<ServiceAccountTokenProjection>
}

export type VolumeResourceRequirements = {
  readonly limits?: unknown
  readonly requests?: unknown
}

export type VolumeStatus = {
  readonly image?: Unchecked<ImageVolumeStatus>
}

export type VsphereVirtualDiskVolumeSource = {
  readonly fsType?: unknown
  readonly storagePolicyID?: unknown
  readonly storagePolicyName?: unknown
  readonly volumePath?: unknown
}

export type WeightedPodAffinityTerm = {
  readonly podAffinityTerm?: Unchecked<PodAffinityTerm>
  readonly weight?: unknown
}

export type WindowsSecurityContextOptions = {
  readonly gmsaCredentialSpec?: unknown
  readonly gmsaCredentialSpecName?: unknown
  readonly hostProcess?: unknown
  readonly runAsUserName?: unknown
}
