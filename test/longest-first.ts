import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take more than 14 seconds, or 9 of the heavy ones, the longest of each project first. One that began last would keep a core waiting. */
const LONG = [
  // Each of its looks at the memory goes through all that files before have left in the process: 12 seconds of CPU time instead of one.
  'src/systems/resource-pool/operate/pool-memory.test.ts',
  'test/sweep/built-in-kinds.test.ts',
  'test/robustness/costly-connections.test.ts',
  'test/robustness/texts.test.ts',
  'test/fuzz/requests.test.ts',
  'test/robustness/crowd.test.ts',
  'test/sweep/custom.test.ts',
  'test/scale/scale.test.ts',
  'test/storm/storm.test.ts',
  'test/fuzz/bodies.test.ts',
  'test/sweep/turns.test.ts',
  'test/robustness/unread-lists.test.ts',
  'test/cli/simulate/reality.test.ts',
  'test/operator/custom-quota/replicas.test.ts',
  'test/operator/failure/failures.test.ts',
  'test/operator/resource-quota/resource-quota-admission.test.ts',
  'test/storm/custom-quotas.test.ts',
  'test/storm/karmada-quotas.test.ts',
  'test/differential/compared-webhooks.test.ts',
  'test/operator/quota-increase/definitions.test.ts',
  'test/differential/scenarios.test.ts',
  'test/readme/examples.test.ts',
  'test/operator/chaos.test.ts',
  'test/install/installation.test.ts',
  'test/operator/webhook/key-change.test.ts',
  'test/readme/readme.test.ts',
  'test/migrate/tenants.test.ts',
  'test/upgrade/rolling-upgrade.test.ts',
  'test/cli/explain/stuck-workloads.test.ts',
  'test/operator/counting/silence.test.ts',
  'test/operator/documents/documented-writes.test.ts',
  'test/install/uninstall.test.ts',
  'test/operator/custom-quota/custom-quotas-of-leaving-namespaces.test.ts',
  'test/migrate/capsule.test.ts',
  'test/operator/resource-quota/resource-quota-counting.test.ts',
  'test/package/artefacts.test.ts',
  'test/operator/webhook/leaked-url.test.ts',
  'test/cli/up.test.ts',
  'test/readme/resource-pools.test.ts',
  'test/operator/custom-quota/unanswered-webhooks.test.ts',
  'test/operator/custom-quota/configured.test.ts',
  'test/operator/pool/many-resources.test.ts',
  'test/operator/custom-quota/tampering.test.ts',
  'test/operator/failure/deleted-lease.test.ts',
  'test/store/flipped-bits.test.ts',
  'test/operator/custom-quota/changed-specs.test.ts',
  'test/operator/run.test.ts',
  'test/systems/resource-pool/write-order/model.test.ts',
  'test/operator/run-refuses.test.ts',
  'test/readme/custom-quota-examples.test.ts',
  'test/operator/custom-quota/custom-quota-refusals.test.ts',
  'test/kubectl/versions.test.ts',
  'test/operator/metrics/metrics-ports.test.ts',
  'test/operator/recorded-exchanges.test.ts',
  'test/kubectl/drain.test.ts',
  'test/operator/custom-quota/custom-quota-scenarios.test.ts',
  'test/upgrade/later-formats.test.ts',
  'test/operator/limit-names/idle-limits-said.test.ts',
  'test/operator/webhook/client-authority.test.ts',
  'test/install/chart.test.ts',
  'test/store/killed-writer.test.ts',
  'test/kubectl/change.test.ts',
  'test/operator/karmada-quota/remade-karmada-quotas.test.ts',
  'test/operator/pool/pool-waiting.test.ts',
  'test/kubectl/shown-quotas.test.ts',
  'test/kubectl/limits.test.ts',
  'test/operator/pool/pool-scenarios.test.ts',
  'test/operator/generated-quotas.test.ts',
  'test/kubectl/api-resources.test.ts',
  'test/kube/leader-election-on-servers.test.ts',
  'test/migrate/quota-operator.test.ts',
  'test/operator/custom-quota/bound.test.ts',
  'test/store/refused-directory.test.ts',
  'test/robustness/unknown-clients.test.ts',
  'test/operator/deleted-crds.test.ts',
  'test/operator/quota-increase/behaviours.test.ts',
  'test/differential/random.test.ts',
  'test/kube/http-kube-client-of-servers.test.ts',
  'test/kubectl/client-side-apply.test.ts',
  'test/operator/webhook/anybody.test.ts',
]

/** The usual order of files, which a fresh clone has no times for, with those in front of it that are known to take long. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of the sequencer, which gives another list
    const usual = await super.sort(files)
    return usual.toSorted((a, b) => groupOf(a) - groupOf(b) || placeOf(a) - placeOf(b))
  }
}

const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONG.findIndex((file) => moduleId.endsWith(`/${file}`))
  return place < 0 ? LONG.length : place
}
