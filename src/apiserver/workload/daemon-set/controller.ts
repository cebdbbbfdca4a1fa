import { labelSelectorOf } from '../../../kinds/rule/label-selector.ts'
import type { Pod } from '../../../builtin/core-v1.ts'
import type { DaemonSet } from '../../../builtin/apps-v1.ts'
import { compiledSelector } from '../../../machinery/selector/compiled.ts'
import type { WatchHandle } from '../../../store/revision/watchers.ts'
import { countOf, specOf } from '../../../machinery/read.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { ControllerClient } from '../shared/controller-client.ts'
import { ControllerLoop, RequeueAfter } from '../shared/controller-loop.ts'
import { daemonPod, type DaemonState, daemonStatus, endedEvent, planDaemonSet } from './plan.ts'
import type { OwnedObjects } from '../shared/owned-objects.ts'
import { isDeleting, nextAvailable } from '../shared/pod-facts.ts'
import { ReplicaPods, type WriteRejection } from '../shared/replica-pods.ts'
import { type Newest, POD_REVISION, RevisionHistory } from '../shared/revision-history.ts'

const BUCKET = 'daemonsets.apps'
const NODES = 'nodes'

/** Keeps one pod of a DaemonSet on every node that fits, and brings its template out there. */
export class DaemonSetController {
  readonly #client: ControllerClient
  readonly #pods: ReplicaPods
  readonly #history: RevisionHistory
  readonly #nodes: WatchHandle
  readonly loop: ControllerLoop

  constructor(
    port: WorkloadPort,
    { pods, revisions }: { readonly pods: OwnedObjects; readonly revisions: OwnedObjects },
    onError: (key: string, error: unknown) => void,
  ) {
    const { store } = port
    this.#client = new ControllerClient(port, 'daemon-set-controller', 'daemonset-controller')
    this.#pods = new ReplicaPods(this.#client, pods)
    this.#history = new RevisionHistory(this.#client, revisions, POD_REVISION)
    const sync = (object: DaemonSet): Promise<void> => this.#sync(object)
    this.loop = new ControllerLoop({
      port,
      bucket: BUCKET,
      kind: 'DaemonSet',
      owns: ['pods'],
      reports: this.#client.reports,
      sync,
      onError,
    })
    // A node concerns them all.
    this.#nodes = store.watch({ bucket: NODES }, () => {
      for (const { key } of store.latestIn(BUCKET, undefined)) this.loop.add(key)
    })
  }

  async stop(): Promise<void> {
    this.#nodes.close()
    await this.loop.stop()
  }

  async #sync(set: DaemonSet): Promise<void> {
    if (isDeleting(set)) return
    const newest = await this.#history.newest(set)
    const state = await this.#state(set, newest)
    const { create, remove, renew } = planDaemonSet(state)
    const kept = await this.#remove(set, remove)
    const refused = newest.refusal ?? (await this.#create(state, create))
    // Where a pod is refused, another one that is outdated may go: what follows it may need less.
    const mayRenew = newest.refusal === undefined && (create.length === 0 || refused !== undefined)
    const left = mayRenew ? await this.#remove(set, renew) : undefined
    const after = await this.#state(set, newest)
    const used = new Set([newest.revision, ...after.pods].map(({ metadata }) => metadata.labels?.[POD_REVISION]))
    const unforgotten = await this.#history.forget(set, (revision) => used.has(this.#history.hashOf(revision)))
    await this.#report(after, newest, refused ?? kept ?? left ?? unforgotten)
  }

  async #state(set: DaemonSet, { revision }: Newest): Promise<DaemonState> {
    return {
      set,
      nodes: [...this.#client.list(NODES)],
      pods: await this.#pods.adopt(set, compiledSelector(labelSelectorOf(specOf(set).selector) ?? {})),
      hash: this.#history.hashOf(revision),
      now: this.#client.now(),
    }
  }

  async #create(state: DaemonState, nodes: readonly string[]): Promise<WriteRejection> {
    return await this.#pods.create(state.set, nodes.length, (index) => daemonPod(state, nodes[index] ?? ''))
  }

  async #remove(set: DaemonSet, pods: readonly Pod[]): Promise<WriteRejection> {
    for (const pod of pods) {
      const event = endedEvent(pod)
      if (event !== undefined) await this.#client.event(set, ...event)
    }
    return await this.#pods.remove(set, pods)
  }

  async #report(state: DaemonState, { collisions }: Newest, refusal: WriteRejection): Promise<void> {
    const { set, pods, now } = state
    await this.#client.report(BUCKET, set, () => daemonStatus(state, collisions))
    if (refusal !== undefined) throw new RequeueAfter(refusal)
    const next = nextAvailable(pods, countOf(specOf(set)['minReadySeconds']), now)
    if (next !== undefined) this.loop.addAt(`${set.metadata.namespace}/${set.metadata.name}`, next)
  }
}
