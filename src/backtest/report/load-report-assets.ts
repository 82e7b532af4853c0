import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ReportAssets } from './render-report.ts';

const resolver = createRequire(import.meta.url);

const text = (path: string | URL): string => readFileSync(path, 'utf8');

const PAGE_SCRIPT = new URL('./page/draw-charts.js', import.meta.url);

/** Reads the chart library from the installed package, and the page's script: compiled, it lies beside this file. */
export function loadReportAssets(pageScript: string | URL = PAGE_SCRIPT): ReportAssets {
  return {
    chartLibrary: text(resolver.resolve('uplot/dist/uPlot.iife.min.js')),
    chartStyle: text(resolver.resolve('uplot/dist/uPlot.min.css')),
    pageScript: text(pageScript),
  };
}
