#!/usr/bin/env python3
"""How quick the page feels: python3 serve_page.py MOLIEN FOLDER [MOVES]

MOLIEN is the program, FOLDER a folder with stored tables of up to five men. A real browser (Chromium,
driven by selenium) plays moves by key, by click and by dragging. The page itself takes the times: from
the input to the frame after the answer stands there. Layout shifts are the browser's own account of what
moved without being asked to; nothing may wait for a solve.
"""

import statistics
import subprocess
import sys

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

STARTS = [
    "8/8/8/8/8/2k5/8/K6R_w_-_-_0_1",
    "8/8/3k4/8/2r5/8/1P6/1K2R3_w_-_-_0_1",
    "8/8/8/3k4/8/8/1n6/K1BB4_w_-_-_0_1",
    "8/8/1q6/8/4k3/8/Q7/K6R_w_-_-_0_1",
    "8/5k2/8/r7/8/3B4/8/K2R4_w_-_-_0_1",
]

# Input is noted before the page hears of it; what is put into the panel is noted in the frame that shows it.
WATCH = """
window.seen = { input: 0, shown: [], more: [], shifts: [], waits: 0 };
for (const name of ["keydown", "click", "pointerup"])
  addEventListener(name, (event) => (seen.input = event.timeStamp), true);
const note = (list) => () => {
  const input = seen.input;
  if (document.querySelector("#panel [data-solving], #panel .trouble") || !document.querySelector("#panel .verdict")) seen.waits++;
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel(); // after that frame has been drawn
    port1.onmessage = () => list.push(performance.now() - input);
    port2.postMessage(0);
  });
};
new MutationObserver(note(seen.shown)).observe(document.querySelector("#panel"), { childList: true });
new MutationObserver(note(seen.more)).observe(document.querySelector("#more"), { childList: true });
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    const what = [...new Set(sources.map(({ node }) => node?.closest?.("[id], [class]")).filter(Boolean)
      .map((node) => node.id ? "#" + node.id : "." + node.className))];
    seen.shifts.push({ value, hadRecentInput, what });
  }
}).observe({ type: "layout-shift", buffered: true });
"""


class Browser:
    def __init__(self, address, width, height):
        options = webdriver.ChromeOptions()
        for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
            options.add_argument(flag)
        options.binary_location = "/usr/bin/chromium"
        if width < 500:
            options.add_experimental_option("mobileEmulation", {"deviceMetrics": {"width": width, "height": height, "pixelRatio": 1.0}})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.driver.set_window_size(width, height)
        self.address = address

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def open(self, fen):
        self.driver.get(f"{self.address}/?fen={fen}")
        self.driver.execute_script(WATCH)
        self.wait("return document.querySelectorAll('#tools button').length > 0")

    def wait(self, script, *arguments):
        WebDriverWait(self.driver, 30, poll_frequency=0.02).until(lambda driver: driver.execute_script(script, *arguments))

    def seen(self):
        return self.driver.execute_script("return seen")

    def square(self, name):
        return self.driver.find_element(By.CSS_SELECTOR, f"[data-square={name}]")

    def by_key(self):
        ActionChains(self.driver).send_keys(Keys.SPACE).perform()

    def by_click(self):
        """The last move of the list: nobody has fetched what it leads to."""
        moves = self.driver.find_elements(By.CSS_SELECTOR, "li[data-uci] a")
        self.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", moves[-1])
        ActionChains(self.driver).click(moves[-1]).perform()

    def by_drag(self):
        """A move from the middle of the list."""
        moves = self.driver.execute_script("return [...document.querySelectorAll('li[data-uci]')].map((m) => m.dataset.uci)")
        uci = moves[len(moves) // 2]
        self.driver.execute_script("scrollTo(0, 0)")
        actions = ActionChains(self.driver, duration=20)
        actions.click_and_hold(self.square(uci[:2])).move_by_offset(8, 8).move_to_element(self.square(uci[2:4])).release().perform()

    def has_moves(self):
        return self.driver.execute_script("return document.querySelectorAll('li[data-uci]').length > 0")


def play(browser, how, number):
    """Milliseconds to the answer and to all the rest, and layout shifts, of so many moves."""
    answers, rests, shifts, waits, starts = [], [], [], 0, iter(STARTS * number)
    while len(answers) < number:
        browser.open(next(starts))
        played = 0
        while played < 6 and len(answers) + played < number and browser.has_moves():
            getattr(browser, how)()
            played += 1
            browser.wait("return seen.shown.length >= arguments[0] && seen.more.length >= arguments[0]", played)
        seen = browser.seen()
        answers += seen["shown"]
        rests += seen["more"]
        shifts += seen["shifts"]
        waits += seen["waits"]
    return answers, rests, shifts, waits


def report(name, answers, rests, shifts, waits):
    unasked = [shift for shift in shifts if not shift["hadRecentInput"]]
    moved = sorted({what for shift in shifts for what in shift["what"]})
    said = lambda times: f"median {statistics.median(times):.0f} ms, slowest {max(times):.0f} ms"
    print(f"{name}: {len(answers)} moves, answer {said(answers)}; with best play and figures {said(rests)}")
    print(f"  waits for a table: {waits}; layout shift unasked {sum(s['value'] for s in unasked):.4f}, in all {sum(s['value'] for s in shifts):.4f} {moved}", flush=True)


def main(program, folder, number=30):
    command = [program, "serve", "--listen", "127.0.0.1:0", "--read-only", "--backend", "cpu", "--tables", folder]
    service = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        address = "http://127.0.0.1:" + service.stderr.readline().split("127.0.0.1:")[1].split(",")[0]
        for width, height in ((1280, 1000), (390, 844)):
            with Browser(address, width, height) as browser:
                for how in ("by_key", "by_click", "by_drag"):
                    report(f"{width} px, {how.replace('_', ' ')}", *play(browser, how, int(number)))
    finally:
        service.terminate()
        service.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
