import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take half a minute or more, the longest of each project first. One that began last would keep a core waiting. */
const LONG = [
  'test/storm/custom-quotas.test.ts',
  'test/storm/storm.test.ts',
  'test/storm/karmada-quotas.test.ts',
  'test/fuzz/requests.test.ts',
  'test/sweep/built-in-kinds.test.ts',
  'test/robustness/crowd.test.ts',
  'test/differential/scenarios.test.ts',
  'test/cli/up.test.ts',
  'test/readme/readme.test.ts',
  'test/store/flipped-bits.test.ts',
  'test/kubectl/versions.test.ts',
  'test/differential/compared-webhooks.test.ts',
  'test/readme/examples.test.ts',
  'test/differential/random.test.ts',
  'test/operator/quota-increase/definitions.test.ts',
  'test/operator/custom-quota/replicas.test.ts',
  'test/operator/custom-quota/tampering.test.ts',
  'test/operator/pool/pools-better.test.ts',
  'test/operator/quota-increase/behaviours.test.ts',
  'test/operator/resource-quota/resource-quota-counting.test.ts',
  'test/operator/resource-quota/resource-quota-admission.test.ts',
  'test/operator/run-refuses.test.ts',
  'test/operator/chaos.test.ts',
  'test/package/npm-pack.test.ts',
  'test/readme/resource-pools.test.ts',
  'test/operator/pool/pool-waiting.test.ts',
  'test/kube/http-kube-client-of-servers.test.ts',
  'test/operator/custom-quota/custom-quota-scenarios.test.ts',
  'test/operator/custom-quota/configured.test.ts',
  'test/operator/pool/pool-scenarios.test.ts',
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
