import type { KubeObject } from '../../../machinery/object.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { ControllerClient } from '../shared/controller-client.ts'

const NAME = 'simulated-node'
const CAPACITY = { cpu: '1000', memory: '4Ti', 'ephemeral-storage': '100Ti', pods: '110000' }

/** Makes one node for pods to run on, where there is none. Webhooks are not asked, as the server needs it to start. */
export async function ensureNode(port: WorkloadPort): Promise<void> {
  const client = new ControllerClient(port, 'simulated-kubelet', 'kubelet', { unhooked: true })
  const [present] = client.list('nodes')
  if (present !== undefined) return
  const node = await client.ensure('nodes', '', nodeNamed(NAME))
  if (node === undefined) return
  const time = timestamp(client.now())
  const condition = (type: string, status: string, reason: string, message: string): object => ({
    type,
    status,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
    reason,
    message,
  })
  await client.updateStatus('nodes', node, () => ({
    capacity: CAPACITY,
    allocatable: CAPACITY,
    conditions: [
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      condition('Ready', 'True', 'KubeletReady', 'pods are simulated: nothing runs on this node'),
    ],
    addresses: [{ type: 'Hostname', address: NAME }],
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: '',
      kernelVersion: 'simulated',
      osImage: 'simulated',
      containerRuntimeVersion: 'simulated://1',
      kubeletVersion: 'v1.36.0',
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  }))
}

const nodeNamed = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
    },
  },
  spec: {},
})
