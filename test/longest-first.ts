import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take more than 20 seconds, or 15 of the heavy ones, the longest of each project first. One that began last would keep a core waiting. */
const LONG = [
  'test/storm/custom-quotas.test.ts',
  'test/storm/karmada-quotas.test.ts',
  'test/operator/webhook/key-change.test.ts',
  'test/upgrade/rolling-upgrade.test.ts',
  'test/sweep/built-in-kinds.test.ts',
  'test/sweep/custom.test.ts',
  'test/fuzz/requests.test.ts',
  'test/robustness/texts.test.ts',
  'test/sweep/turns.test.ts',
  'test/storm/storm.test.ts',
  'test/operator/resource-quota/resource-quota-admission.test.ts',
  'test/differential/scenarios.test.ts',
  'test/cli/up.test.ts',
  'test/operator/custom-quota/replicas.test.ts',
  'test/readme/readme.test.ts',
  'test/operator/custom-quota/configured.test.ts',
  'test/differential/compared-webhooks.test.ts',
  'test/operator/chaos.test.ts',
  'test/operator/failure/failures.test.ts',
  'test/package/artefacts.test.ts',
  'test/readme/resource-pools.test.ts',
  'test/kube/http-kube-client-of-servers.test.ts',
  'test/readme/examples.test.ts',
  'test/operator/resource-quota/resource-quota-counting.test.ts',
  'test/operator/quota-increase/definitions.test.ts',
  'test/operator/custom-quota/custom-quota-scenarios.test.ts',
  'test/kubectl/versions.test.ts',
  'test/store/flipped-bits.test.ts',
  'test/operator/custom-quota/custom-quotas-of-leaving-namespaces.test.ts',
  'test/operator/run-refuses.test.ts',
  'test/operator/custom-quota/tampering.test.ts',
  'test/operator/pool/pool-scenarios.test.ts',
  'test/operator/quota-increase/behaviours.test.ts',
  'test/grants/write-order-model.test.ts',
  'test/readme/custom-quota-examples.test.ts',
  'test/operator/metrics/metrics-ports.test.ts',
  'test/operator/generated-quotas.test.ts',
  'test/operator/run.test.ts',
  'test/kubectl/drain.test.ts',
  'test/store/directory.test.ts',
  'test/differential/random.test.ts',
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
