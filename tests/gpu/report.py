"""What was found on a machine with a GPU as a page of Markdown."""

from tests.gpu.works import WORKS


def page(found):
    """The page; `found` is what `python -m tests.gpu` writes as JSON."""
    machine = found.get("machine", {})
    device = machine.get("device", {})
    lines = [
        "# On a GPU",
        "",
        f"{device.get('name', 'no device')}, driver {device.get('driver', '?')}; commit "
        f"{machine.get('commit', '?')}; `{found.get('command', 'python -m tests.gpu')}`, "
        f"{found.get('seconds', 0):.0f} s.",
        "",
        *_parts(found),
        "",
        *_figures(found),
        "",
        *_others(found),
        "",
        *_rates(found),
    ]
    return "\n".join(lines).rstrip() + "\n"


def failures(found):
    """What failed, a line each: processes, what they found to be wrong, what was left undone."""
    lines = []
    for name, part in found.get("parts", {}).items():
        for run, result in part.items():
            if result.get("failed") and not result.get("wrong"):
                at = f", in {result['at']}" if result.get("at") else ""
                lines.append(f"{name}, {run}: {result['failed']}{at}")
            lines += [f"{name}: {what}" for what in result.get("wrong", {})]
            rows = result.get("rows", {}) | result.get("rates", {})
            rows |= {at: one for at, one in result.items() if isinstance(one, dict)}
            lines += [f"{name}: {row}" for row, one in rows.items() if "failed" in one]
        asked, done = (sum(one.get(k, 0) for one in part.values()) for k in ("asked", "done"))
        if done < asked:
            lines.append(f"{name}: there was time for {done} of {asked}")
    return lines


def _parts(found):
    yield "| part | processes | done | wrong |"
    yield "|---|--:|--:|---|"
    for name, part in found.get("parts", {}).items():
        results = part.values()
        asked = sum(one.get("asked", 0) for one in results)
        done = f"{sum(one.get('done', 0) for one in results)} of {asked}" if asked else ""
        wrong = failures({"parts": {name: part}})
        without = [one["without"] for one in results if "without" in one]
        nothing = sum("none" in row for one in results for row in one.get("rows", {}).values())
        without += [f"{nothing} works it has not"] if nothing else []
        said = f"{len(wrong)}: {'; '.join(wrong[:8])}" if wrong else "; ".join(without) or "nothing"
        yield f"| {name} | {len(part)} | {done} | {said.replace('|', '/')} |"


def _figures(found):
    """Milliseconds of each work: ours, peers', and the target."""
    parts = found.get("parts", {})
    ours = _rows(parts.get("figures", {}))
    peers = {
        name.removeprefix("figures of "): _rows(part)
        for name, part in parts.items()
        if name.startswith("figures of ")
    }
    if not ours:
        return
    yield "Milliseconds; bytes a second are those that must be read and written, by kernels' time."
    yield ""
    yield f"| work | kernels | GB/s | expression | {' | '.join(peers)} | target |"
    yield f"|---|--:|--:|--:|{'--:|' * len(peers)}--:|"
    for name, row in ours.items():
        work = WORKS[name]
        target = work.target if row["cells"] == work.cells else None
        kernels = row.get("kernels")
        rate = f"{row['bytes'] / kernels / 1e9:.0f}" if kernels else "–"
        cells = [_ms(kernels), rate, _ms(row.get("seconds"))]
        cells += [_ms(rows.get(name, {}).get("seconds")) for rows in peers.values()]
        cells.append("–" if target is None else f"≤ {target}")
        yield f"| {name} | {' | '.join(cells)} |"


def _rows(part):
    return next((one["rows"] for one in part.values() if one.get("rows")), {})


def _ms(seconds):
    return "–" if not seconds else f"{seconds * 1000:.3g}"


def _others(found):
    """What was timed once."""
    for run in found.get("parts", {}).get("timed once", {}).values():
        for name, one in run.items():
            if isinstance(one, dict):
                told = [f"{k} {_short(v)}" for k, v in one.items() if k != "place"]
                yield f"- {name}: {', '.join(told)}"


def _short(value):
    return f"{value:.3g}" if isinstance(value, float) else f"{value}"


def _rates(found):
    """Kernels by themselves beside CuPy's."""
    rates = [one["rates"] for one in found.get("parts", {}).get("rates of kernels", {}).values()
             if one.get("rates")]  # fmt: skip
    if not rates:
        return
    yield "| kernel | ours, ms | GB/s | CuPy, ms |"
    yield "|---|--:|--:|--:|"
    for name, row in rates[0].items():
        own = row.get("ours")
        rate = f"{row['bytes'] / own / 1e9:.0f}" if own else "–"
        yield f"| {name} | {_ms(own)} | {rate} | {_ms(row.get('cupy'))} |"
