import { describe, expect, test } from 'vitest'
import { Metrics } from './metrics.ts'

const LABELS = { verb: 'POST', group: '', version: 'v1', resource: 'pods', subresource: '' }

describe('metrics', () => {
  test('start at 0, so that a rate exists from the first event on', async () => {
    const text = await new Metrics().text()
    expect(text).toContain('allot_quota_decisions_total{verdict="admitted"} 0')
    expect(text).toContain('allot_quota_decisions_total{verdict="denied"} 0')
    expect(text).toContain('apiserver_longrunning_requests 0')
    expect(text).toContain('allot_store_commit_writes_count 0')
  })

  test('count requests by what was asked and how it was answered', async () => {
    const metrics = new Metrics()
    metrics.request(LABELS).finished(201, 0.002)
    metrics.request({ ...LABELS }).finished(201, 0.002)
    metrics.request(LABELS).finished(403, 0.001)
    const text = await metrics.text()
    const labels = 'verb="POST",group="",version="v1",resource="pods",subresource=""'
    expect(text).toContain(`apiserver_request_total{${labels},code="201"} 2`)
    expect(text).toContain(`apiserver_request_total{${labels},code="403"} 1`)
    expect(text).toContain(`apiserver_request_duration_seconds_count{${labels}} 3`)
  })

  test('do not mix the hours of a watch with the milliseconds of other requests', async () => {
    const metrics = new Metrics()
    metrics.watchOpened()
    metrics.request({ ...LABELS, verb: 'WATCH' }).finished(200, 3600)
    const text = await metrics.text()
    expect(text).not.toMatch(/apiserver_request_duration_seconds_count\{verb="WATCH"/)
    expect(text).toContain('apiserver_longrunning_requests 1')
  })

  test('of two processes in one do not meet', async () => {
    const one = new Metrics()
    one.quotaDecisions.denied.inc()
    one.storeCommitted(3, 0.001)
    const other = await new Metrics().text()
    expect(other).toContain('allot_quota_decisions_total{verdict="denied"} 0')
    expect(await one.text()).toContain('allot_store_commit_writes_sum 3')
  })
})
