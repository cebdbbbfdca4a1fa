import uPlot from 'uplot'
import type { HistoryRow } from '../data/answer.ts'
import { drawnNumber } from '../format/drawn-number.ts'
import { kindOfAmount } from '../format/kind-of-amount.ts'

const HEIGHT = 260
const AXIS_WIDTH = 76

/** Draws use and limit over time into an element until it is over, as wide as the element is. */
export function drawHistory(element: HTMLElement, { samples, resource }: HistoryRow, over: AbortSignal): void {
  if (over.aborted) return
  const colour = (name: string): string => colourOf(element, name)
  const axis = {
    stroke: colour('--ink'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line') },
  }
  const values = (_: uPlot, ticks: readonly number[]): string[] => ticks.map((tick) => tickText(tick, resource))
  const times = (_: uPlot, ticks: readonly number[]): string[] => ticks.map(timeText)
  const points = { show: false }
  const chart = new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: (_, __, most) => [0, most * 1.05 || 1] } },
      axes: [
        { ...axis, values: times },
        { ...axis, size: AXIS_WIDTH, values, ...(isInBytes(resource) ? { incrs: POWERS_OF_TWO } : {}) },
      ],
      series: [
        {},
        { stroke: colour('--bar'), fill: colour('--bar-soft'), width: 2, points },
        { stroke: colour('--full'), width: 2, dash: [6, 4], points },
      ],
    },
    [
      samples.map(({ at }) => Date.parse(at) / 1000),
      samples.map(({ used }) => drawnNumber(used)),
      samples.map(({ hard }) => drawnNumber(hard)),
    ],
    element,
  )
  const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
  observer.observe(element)
  over.addEventListener('abort', () => {
    observer.disconnect()
    chart.destroy()
  })
}

/** A colour of the theme, as a canvas takes it. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = element.appendChild(document.createElement('span'))
  probe.style.color = `var(${name})`
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const isInBytes = (resource: string): boolean => kindOfAmount(resource) === 'bytes'
const POWERS_OF_TWO = Array.from({ length: 60 }, (_, exponent) => 2 ** exponent)

const timeText = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })

const BYTES = [
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
] as const

function tickText(tick: number, resource: string): string {
  const unit = isInBytes(resource) ? BYTES.find(([size]) => tick >= size) : undefined
  const number = unit === undefined ? tick : tick / unit[0]
  const digits = String(Number(number.toPrecision(3)))
  return unit === undefined ? digits : `${digits} ${unit[1]}`
}
