/**
 * The lines of the open issues that need a test, each behind a marker: the number of the issue and a word or two. A test proves a line when
 * its name ends with the marker in brackets. `scripts/acceptance.ts` prints them all. The lines of a closed issue go.
 */
export const ACCEPTANCE_LINES: Readonly<Record<string, string>> = {
  '30/one-bundle': '1.1: one bundle is what the npm package, the image and the archives contain',
  '30/npx': '1.1: `npx allot up` from the packed tarball in an empty folder, with Node 24 and newer',
  '30/sdk-types': '1.1: types of the SDK resolve with `skipLibCheck: false`',
  '30/image': '1.2: an image without a daemon, non-root, no shell, reproducible',
  '30/started-image':
    '1.2: the image is started: `allot version`, a read-only root, `allot run` against the real API server',
  '30/archives': '1.3: archives as a plugin of kubectl; the x64 one starts with an empty PATH',
  '30/operator-roles': '3.1: roles of the operator from what code asks for; they fail when they widen',
  '30/personas': '3.2: personas, on `allot up` too; every verb and kind for each persona',
  '30/chart': '2.1: the chart and its values, with the calculations of seed 000',
  '30/chart-install': '2.2: `allot install` prints the same as the chart, object by object',
  '30/two-lines': '2.2, It must reach: from nothing to a refused pod in two lines, and its time is printed',
  '30/uninstall':
    "4: `allot uninstall` works when the operator is gone, twice, as the account of the chart's hook, and leaves nothing behind",
  '30/helm':
    '2.1: Helm installs, upgrades and uninstalls the chart, its hook runs, its notes name a first object and the line that uninstalls',
  '30/webhook-page': '2.3: one page explains each webhook, its policy, time and namespaces',
  '30/never-blocked':
    '2.3: kube-system and the namespace of an installation are never blocked; 4: the page for the day when everything is refused, as printed',
  '30/task-commands': 'It must reach: every command in docs/tasks is run by a test',
  '30/release':
    '1.4: `make release` checks versions, changelog, licences and `npm audit`, signs nothing it has no key for and says so',
  '30/sbom': '1.4: SBOM (CycloneDX) and licences',
  '30/changelog': '1.4: a changelog that a user can read, CODEOWNERS, templates, a page on versions',
  '30/own-namespace': "2.3: allot's namespace is never blocked, also where it is not its system namespace",
  '30/tenants': "6.1: `allot migrate tenants` writes the seed's pools and claims, to the manifest",
  '30/tenant-claims':
    '6.1: claims carry the use over on a cluster, `--dry-run`, `--headroom`, twice in a row, and `--finish` only when the pools hold',
  '30/tenant-namespaces': '6.1: scope Namespace',
  '30/tenant-summary': '6.1: a summary of what changes for whom, and what does not fit',
  '30/tenant-errors': '6.1: errors of names and permissions in a sentence',
  '30/group-quotas': '6.2: ClusterResourceQuotas and HierarchicalResourceQuotas as GlobalCustomQuotas that count alike',
  '30/not-carried': '6.2: a list of what cannot be carried over',
  '30/peer-pages': '6.2: a page per peer on how to move',
  '30/limit-range-schema': '7.1: the schema of `spec.limitRange` is that of Kubernetes 1.36, and is validated as there',
  '30/limit-ranges':
    '7.1: a LimitRange in every selected namespace, added, changed and removed with pool and selection; foreign edits put back',
  '30/foreign-limit-range':
    '7.1: a LimitRange of somebody else is not written over, and no quota stands without its LimitRange',
  '30/limit-range-removal': '7.1: `allot uninstall` keeps and removes LimitRanges as it does quotas',
  '30/claim-ends': '7.2: an unused claim is released at its end; a used one is frozen; nothing is killed',
  '30/end-invariant': '7.2: no quota falls below its use, no pool hands out too much',
  '30/end-fields': '7.2: both fields, their changes, and the moment of the operator',
  '30/rolling-upgrade':
    "5: two versions side by side under load, up and back, without a gap in enforcement; nothing of allot's is left",
  '30/previous-version': '5: the previous version is the last commit before this issue, and the tag from then on',
  '30/formats': '5: formats of ledgers and of the store carry a version; a newer one is refused with a sentence',
  '30/upgrade-page': 'must reach: every command in docs/tasks is run by a test, upgrade and rollback',
  '30/capsule':
    '6.2: `allot migrate capsule` and back, objects, statuses, ledgers and limits kept, refusals and failure',
  '30/quota-operator': '6.2: `allot migrate quota-operator` and back',
  '30/task-pages': 'reach: every command in docs/tasks is run by a test',
  '30/blocked-start': 'found: an operator could not start while a webhook on namespaces did not answer',
  '30/replica-ends': '8: replicas that end in 20 updates under load, at the limits of the quotas of all systems',
  '30/failures':
    '8: replicas killed, certificates renewed, Secrets, Lease, ledgers, CRDs and webhook configurations deleted, a clock that jumps, an API server that is slow, away or cut off, each with its sentence',
  '30/full-disk': '8: a full disk of `allot up`',
  '30/deleted-lease': '8: a Lease that is deleted makes no two leaders',
  '30/deleted-certificate': '8: a Secret of the certificate that is deleted comes back with what API servers trust',
  '30/deleted-ledger': '8: a ledger that is deleted is made again, also while a replica writes the former one',
  '30/clock-back': '8: a clock that is set back by hours keeps the certificates that API servers trust',
  '30/running-capsule': '4, 6.2: `allot uninstall` leaves pools, their quotas and ledgers to a Capsule that runs',
  '30/late-end': '7.2: a claim says that it ended only when its amounts are gone, however its end came to be past',
  '30/carried-names': '6.3: names of carried-over quotas never collide, in whatever runs',
  '30/uninstall-mistakes':
    '4: newcomer: an uninstallation that is to look in the wrong namespace, or is interrupted, says so and does no harm',
  '30/finish-differs': '6.1: `allot migrate tenants --finish` refuses pools that limit otherwise than the Tenant',
  '30/untrusted-records': '4: the moves from Capsule and the quota operator believe nothing that a tenant can write',
  '30/end-given-back': '7.2: a claim that ends while others are given back leaves what workloads use',
  '30/unwritable-ranges': '7.2: LimitRanges that cannot be written hold up no release',
  '30/alarms': '7.2: a claim that is gone, or whose end moved, has no alarm',
  '30/reasons-at-once': 'CI: a test that fails prints why at once',
  '30/kept-crds': 'CI: real API servers keep the CRDs of allot between the tests that borrow them',
  '30/cut-off-leader':
    '8: a replica that starts while the Lease is deleted does not lead beside a leader that is cut off',
  '30/deleted-key': '8: a deleted or damaged key of the ledgers comes back within seconds, in one sentence',
  '30/log-stacks': '8: the log has a stack only for mistakes in the program',
  '30/made-namespace':
    '4: newcomer: the namespace that `allot run` made goes with it, and one of others or with objects of others stays, which a line says',
  '30/missing-rights':
    '4: newcomer: `allot uninstall`, `allot migrate` and `allot run` name all rights that are missing, before they do anything',
  '30/foreign-lease':
    "6.2: a tenant's Lease named like Capsule's neither stops nor triggers a takeover, an uninstallation or a start",
  '30/raised-usage': '5: usage that a former leader raised too far goes down again',
  '30/flag-values':
    '6.1: newcomer: every flag of every command refuses a value that means nothing, with the flag, the value and what is allowed',
  '30/missing-file':
    'newcomer: a file that a flag names and that does not exist is named in one sentence, with the flag',
  '30/webhook-port': 'newcomer: a port in `--webhook-url` that is not served is named',
  '30/ended-ready': '7.2: newcomer: a claim that has ended does not look like a failure',
  '30/one-by-one': '7.2: newcomer: of claims that each cover the use, one begins its time after the other',
  '30/later-pools': '5: no controller writes to a pool of a later format',
  '30/slow-input': '6: newcomer: `allot migrate` reads a pipe to its end, however slow its writer is',
  '31/types': '4: a misspelled field of a built-in kind does not compile',
  '31/acceptance-lines': '2: the page of acceptance is generated, nothing is typed twice, no name of a test is frozen',
  '31/pool-problem-once': '5: the problem of a pool is worked out once',
  '31/listed-configurations': '5: webhook configurations are listed when they change',
  '31/unit-tests': '2: unit tests stand beside what they test or say what they cover; `npm test` runs them',
  '31/one-owner': '1: one owner of the ledger as a replica has it: a create looks it up once and decides once',
  '31/held-ahead': '1: room held ahead is a field of the ledger, in the text of the version before',
  '31/floors': '1, 2: one folder for each system; a library holds the floors and the purity of rooms',
  '31/further-quota': '1: a further counted quota takes at most 300 lines in its own folder',
  '31/http-parser': "5: Node's private HTTP parser is watched, and its absence is said",
  '30/applied-again': '5: newcomer: an upgrade repeats the apply without a conflict after the operator has run',
  '32/stuck':
    '1, It must reach: right and complete causes, and remedies that solve them, on both servers without allot',
  '32/healthy': '1, It must reach: no cause at all in 100 healthy namespaces',
  '32/manifests': '1: a manifest that is not applied yet',
  '32/least-rights':
    '1: what the caller may not read is named as not seen, never guessed; remedies by the rights of the caller',
  '32/exact-amount': '1: what fits as a number per container, to the unit',
  '32/injected': '1: injected sidecars apart, also those that only a refusal names',
  '32/more-room': '1: the claim or the increase that solves it, ready to apply',
  '32/autoscaler': '1: autoscalers that the quota caps',
  '32/no-false-cause': '1: no quota is blamed for what something else refuses',
  '32/remedies-hold': '1: remedies are ready to apply: no API server refuses them',
  '32/requests': '1: a claim that waits with its place in the queue, an increase that contributes nothing',
  '32/text': '1: text of users stays in its line',
  '32/schema': '1: `-o json` follows the published schema',
  '32/tenant':
    'Accept when: each of eight waits understood with one command, as a tenant with `admin` in one namespace',
  '32/custom-field':
    '1, It must reach: a custom quota on a field of a custom resource, and manifests one after the other',
  '32/paused': '1: workloads that somebody has paused or suspended',
  '32/plugin': '1: `kubectl allot explain`, and the other verbs',
  '31/emptied-spec': '1: limits that all go and come back keep what is reserved',
  '32/refusal-events': '3: a refusal by any budget becomes an Event on the owner at the top, and so does freed room',
  '32/simulate': '4, It must reach: what a simulation predicts is what then happens',
  '32/test': '5: quotas are tested without a cluster',
  '32/top': '2: used and hard of quotas, namespaces, pools and claims, the nearest to the limit first, and queues',
  '32/columns': '3: `kubectl get` shows use and limit of every kind',
  '32/gitops': '3: kstatus, Argo CD and Helm read how claims, pools, quotas and increases stand',
  '32/doctor-usage': '6: stuck usage and drift, `--fix` with a preview',
  '32/doctor-ledger': '6: ledger, status and truth compared; quotas that nobody counts',
  '32/doctor-webhooks': '6: broken or unreachable webhooks, missing permissions',
  '32/doctor-apis': '6: API services that stall the quota controller of a cluster',
  '32/doctor-well': '6: nothing is found where all is well',
  '32/support-bundle': '6: a support bundle without secrets',
}
