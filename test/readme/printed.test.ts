import { describe, expect, test } from 'vitest'
import { onlyReads, printed } from './printed.ts'

describe('a command of a document', () => {
  test.each([
    'kubectl get pods',
    `kubectl -n team get quota q -o jsonpath='{.status.used.pods}{"\\n"}'`,
    'kubectl -n team get pods -l app=shop -o name | wc -l',
    `kubectl get --raw /metrics | grep -E '^capsule_.*(cpu-limits|target_namespace="team")'`,
    `kubectl wait quota/q --for=jsonpath='{.status.used.pods}'=1`,
  ])('runs again until it prints what is shown, as it only reads: %s', (command) => {
    expect(onlyReads(command)).toBe(true)
  })

  test.each([
    'kubectl apply -f quota.yaml',
    'kubectl get pods; kubectl delete pod p',
    'kubectl get pods -o name | xargs kubectl delete',
    'kubectl get pods > pods',
    'kubectl get pods -w',
    'kubectl get pods &',
    'kubectl get pod "$(kubectl create -f pod.yaml -o name)"',
    'make up',
  ])('runs once, as it may change something: %s', (command) => {
    expect(onlyReads(command)).toBe(false)
  })

  test('prints what it shows as soon as it does, and what it printed last when it never may again', async () => {
    const texts = ['0', '1', '2']
    const run = () => Promise.resolve({ code: 0, text: texts.shift() ?? '' })
    const step = { output: '1', line: 1 }
    expect(await printed({ ...step, command: 'kubectl get q' }, run, (text) => text === '1')).toBe('1')
    expect(await printed({ ...step, command: 'kubectl delete q' }, run, (text) => text === '1')).toBe('2')
  })
})
