"""The page in a real browser: python3 browser.py ADDRESS [FOLDER FOR PICTURES]

Every function that begins with check_ is a test; the first failure ends the run.
"""

import pathlib
import sys

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ATTACKED = "8/8/8/8/7R/2k5/8/K7_w_-_-_0_1"
PAWN = "4k3/8/4K3/4P3/8/8/8/8_w_-_-_0_1"
ROOK = "8/8/8/8/8/2k5/8/K6R_w_-_-_0_1"
MATE_IN_TWO = "k7/8/2K5/8/8/8/8/7R_w_-_-_0_1"
GAME = '[SetUp "1"]\n[FEN "8/8/8/8/8/2k5/8/K6R w - - 0 1"]\n[Result "1-0"]\n\n1. Rh3+ Kc4 2. Rc3+ Kxc3 1-0\n'


class Page:
    def __init__(self, address, pictures, scripts=True, width=1280, height=1000):
        options = webdriver.ChromeOptions()
        for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.binary_location = "/usr/bin/chromium"
        if not scripts:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        if width < 500:
            options.add_experimental_option("mobileEmulation", {"deviceMetrics": {"width": width, "height": height, "pixelRatio": 1.0}})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.driver.set_window_size(width, height)
        self.address, self.pictures = address, pictures

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def open(self, path):
        self.driver.get(self.address + path)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def wait(self, condition, what):
        WebDriverWait(self.driver, 30, ignored_exceptions=[Exception]).until(lambda _: condition(), what)

    def verdict(self):
        return self.one(".verdict").text

    def wait_for(self, text):
        self.wait(lambda: text in self.verdict(), f"the verdict never said {text!r}")

    def square(self, name):
        return self.one(f"[data-square={name}]")

    def man(self, name):
        found = self.square(name).find_elements(By.TAG_NAME, "img")
        return found[0].get_attribute("alt") if found else None

    def drag(self, from_, to):
        actions = ActionChains(self.driver, duration=20)
        actions.click_and_hold(from_).move_by_offset(8, 8).move_to_element(to).release().perform()

    def press(self, key):
        self.one("body").send_keys(key)

    def picture(self, name):
        if self.pictures:
            self.driver.save_screenshot(str(pathlib.Path(self.pictures) / f"{name}.png"))

    def complaints(self):
        # A 4xx answer is shown to the reader; the console notes it as well.
        return [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE" and "status of 4" not in e["message"]]


def check_a_position_says_who_wins_first(page):
    page.open(f"/?fen={ROOK}")
    page.wait_for("White wins: mate in 14 moves")
    assert page.man("a1") == "white king" and page.man("c3") == "black king"
    page.open(f"/?fen={ATTACKED}")
    groups = [group.text for group in page.all(".group h3")]
    assert groups[0].startswith("▲ Wins") and groups[-1].startswith("■ Draws"), groups
    assert "costs half a point" in page.one(".group.draw").text
    assert "1. " in page.one(".line .moves").text
    assert page.all("svg.histogram rect.win") and page.all("svg.histogram line.here")
    page.open(f"/?fen={PAWN}")
    assert "key square" in page.one(".answer").text, page.one(".answer").text
    assert "If Black were to move" in page.one(".what-if").text


def check_a_man_is_dragged_and_a_move_is_taken_back(page):
    page.open(f"/?fen={ROOK}")
    page.wait_for("mate in 14 moves")
    page.drag(page.square("h1"), page.square("h4"))
    page.wait(lambda: page.man("h4") == "white rook", "the rook did not move")
    page.wait_for("Black loses")
    page.press(Keys.BACKSPACE)
    page.wait_for("mate in 14 moves")
    assert page.man("h1") == "white rook"
    # A spare man from beside the board makes another position.
    page.drag(page.one(".spare [data-man=R]"), page.square("e5"))
    page.wait(lambda: page.man("e5") == "white rook", "the spare rook did not arrive")


def check_space_plays_the_best_move(page):
    page.open(f"/?fen={ROOK}")
    page.wait_for("mate in 14 moves")
    best = page.one("li[data-uci]").get_attribute("data-fen")
    page.press(Keys.SPACE)
    page.wait(lambda: page.one("#fen").get_attribute("value") == best, "the best move was not played")
    assert best.replace(" ", "_") in page.driver.current_url


# What the browser itself counts as having moved without being asked to, from the start.
SHIFTS = """window.shifts = [];
  new PerformanceObserver((list) => shifts.push(...list.getEntries().filter((entry) => !entry.hadRecentInput).map((entry) => entry.value)))
    .observe({ type: "layout-shift", buffered: true });"""


def check_nothing_moves_by_itself(page):
    page.open(f"/?fen={ROOK}")
    page.driver.execute_script(SHIFTS)
    page.wait(lambda: page.all("#tools button"), "no tools")
    for _ in range(3):
        best = page.one("li[data-uci]").get_attribute("data-fen")
        page.press(Keys.SPACE)
        page.wait(lambda: page.one("#fen").get_attribute("value") == best, "the best move was not played")
        page.wait(lambda: page.one("li[data-uci]").get_attribute("data-fen") != best, "no answer")
        page.wait(lambda: page.one("#more .line").is_displayed(), "best play stays hidden")
        assert not page.all("#panel [data-solving]")
    shifts = page.driver.execute_script("return shifts")
    assert sum(shifts) == 0, shifts


def check_what_is_pointed_at_is_drawn(page):
    page.open(f"/?fen={ROOK}")
    page.wait_for("mate in 14 moves")
    ActionChains(page.driver).move_to_element(page.one("li[data-uci] a")).perform()
    # The move, and then the answer to it.
    page.wait(lambda: len(page.all(".arrows path")) == 2, "no arrows")


def check_the_board_is_used_by_keys_alone(page):
    page.open(f"/?fen={ROOK}")
    page.wait_for("mate in 14 moves")
    page.driver.execute_script("document.querySelector('[data-square=h1]').focus()")
    keys = ActionChains(page.driver)
    keys.send_keys(Keys.ENTER, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ENTER).perform()
    page.wait(lambda: page.man("h3") == "white rook", "the rook is not on h3")
    page.wait_for("Black loses")
    assert "last" in page.square("h1").get_attribute("class")
    assert "check" in page.square("c3").get_attribute("class")
    ActionChains(page.driver).send_keys(Keys.ARROW_LEFT, "Q").perform()
    page.wait(lambda: page.man("g3") == "white queen", "no queen on g3")
    ActionChains(page.driver).send_keys(Keys.DELETE).perform()
    page.wait(lambda: page.man("g3") is None, "the queen is still there")


def check_the_position_is_edited(page):
    page.open(f"/?fen={ROOK}")
    page.wait_for("mate in 14 moves")
    for action, expected in [("mirror", "8/8/8/8/8/5k2/8/R6K w"), ("swap", "r6k/8/5K2/8/8/8/8/8 b"), ("turn", "r6k/8/5K2/8/8/8/8/8 w")]:
        page.one(f"[data-action={action}]").click()
        page.wait(lambda: page.one("#fen").get_attribute("value").startswith(expected), f"{action}: {expected}")
    page.one("[data-action=flip]").click()
    page.wait(lambda: page.one("[role=row] [role=gridcell]").get_attribute("data-square") == "h1", "not flipped")
    # A spare man that is tapped goes where the board is tapped next.
    page.one(".spare [data-man=p]").click()
    page.square("c5").click()
    page.wait(lambda: page.man("c5") == "black pawn", "no pawn on c5")
    page.open(f"/?fen={ROOK}")
    clock = page.one("#clock")
    clock.clear()
    clock.send_keys("90", Keys.ENTER)
    page.wait_for("a draw by the 50-move rule")
    assert "The 50-move clock stands at 45 of 50 moves" in page.one(".answer").text


def check_the_metric_and_the_units_are_switched(page):
    page.open(f"/?fen={ROOK}")
    page.wait_for("mate in 14 moves")
    page.one("[data-order=dtz]").click()
    page.wait(lambda: page.one("[data-order=dtz]").get_attribute("aria-current") == "true", "the order stayed")
    page.one("[data-units=plies]").click()
    page.wait_for("mate in 27 plies")
    assert "order=dtz" in page.driver.current_url and "units=plies" in page.driver.current_url


def check_a_free_man_makes_a_heat_map(page):
    page.open(f"/?fen={ROOK}")
    page.wait_for("mate in 14 moves")
    page.one("#free [data-free=R]").click()
    page.wait(lambda: len(page.all(".sq .heat")) > 40, "no heat map")
    page.wait(lambda: page.square("h1").text.startswith("+14"), "h1 is not won in 14")
    page.picture("heat-map")
    page.square("h8").click()
    page.wait(lambda: page.man("h8") == "white rook", "the free man was not put on h8")


def check_a_mistake_in_the_position_is_named(page):
    page.open("/?fen=8/8/8/8/8/2k5/2K5/7R_w_-_-_0_1")
    page.wait_for("kings")
    assert "wrong" in page.square("c2").get_attribute("class")
    box = page.one("#fen")
    box.clear()
    box.send_keys("8/8/8 w", Keys.ENTER)
    page.wait_for("ranks")


def check_the_list_of_endgames_is_searched(page):
    page.open("/endgames")
    box = page.one("#search")
    box.send_keys("KRK")
    page.wait(lambda: all("KR" in row.text for row in page.all("tbody tr") if row.is_displayed()), "not searched")
    page.picture("endgames")


def check_a_query_finds_positions(page):
    page.open("/find?material=KRK&query=wtm+and+dtm+%3D+31")
    assert page.all("figure.small"), page.one("main").text
    page.wait(lambda: "positions match" in page.one("#live").text, "no live count")
    box = page.one("[name=query]")
    box.send_keys(" and")
    page.wait(lambda: "column" in page.one("#live").text, "the mistake is not named")
    page.picture("find")


def check_a_dropped_game_is_judged(page):
    page.open("/study")
    script = """const data = new DataTransfer();
      data.items.add(new File([arguments[0]], "game.pgn", { type: "application/x-chess-pgn" }));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));"""
    page.driver.execute_script(script, GAME)
    page.wait(lambda: page.all(".game li"), "no report")
    assert "Rc3+" in page.one(".game .mistake").text
    assert "cooked" in page.one(".game .verdict").text, page.one(".game .verdict").text
    page.picture("study")


def check_a_mate_is_played_out(page):
    page.open(f"/?fen={MATE_IN_TWO}")
    page.wait_for("mate in 2 moves")
    page.wait(lambda: page.all("a[data-play]"), "cannot be played")
    page.one("a[data-play]").click()
    page.one("#hint").click()
    page.wait(lambda: page.all(".sq.hinted"), "no hint")
    for _ in range(2):
        before = page.one("#fen").get_attribute("value")
        # The list is hidden while playing; the best move is its first entry.
        uci = page.driver.execute_script("return document.querySelector('li[data-uci]').dataset.uci")
        page.drag(page.square(uci[:2]), page.square(uci[2:4]))
        page.wait(lambda: page.one("#fen").get_attribute("value") != before, "no answer came")
        page.wait(lambda: page.all("#end") or "The answer is" in page.one("#judgement").text, "no word")
    page.wait(lambda: "Mate. Well played." in page.one("#game").text, "no mate")
    assert "2 of 2 moves perfect, 1 hint." in page.one("#report").text, page.one("#report").text
    page.picture("played")


def check_links_do_without_scripts(address, pictures):
    with Page(address, pictures, scripts=False) as page:
        page.open(f"/?fen={ROOK}")
        assert "White wins: mate in 14 moves" in page.verdict()
        # A click does not always wait for the page it leads to.
        page.one(".group.win li a").click()
        page.wait_for("Black loses")
        assert not page.all("#tools button")
        page.one("[data-free=R]").click()
        page.wait(lambda: len(page.all(".sq .heat")) > 40, "no heat map")
        page.open("/study")
        page.one("#pgn").send_keys(GAME)
        page.one("form button").click()
        page.wait(lambda: "Rc3+" in page.one(".game .mistake").text, "the mistake is not named")


def check_a_phone_shows_all(address, pictures):
    with Page(address, pictures, width=390, height=844) as page:
        for path in [f"/?fen={ROOK}", "/endgames", "/endgame/KRK", "/find?material=KRK&query=mate", "/study", "/about"]:
            page.open(path)
            wide = page.driver.execute_script("return document.documentElement.scrollWidth")
            assert wide <= 390, (path, wide)
        page.open(f"/?fen={ROOK}")
        page.wait_for("White wins")
        assert page.one("chess-board").size["width"] > 330
        page.picture("phone")


def check_a_solve_is_watched(page):
    page.open("/?fen=8/8/8/8/8/2k5/8/KB5N_w_-_-_0_1")
    page.wait_for("White wins")


def main(address, pictures=None):
    checks = {name: check for name, check in globals().items() if name.startswith("check_")}
    with Page(address, pictures) as page:
        for name, check in checks.items():
            alone = check.__code__.co_varnames[0] == "address"
            check(address, pictures) if alone else check(page)
            complaints = [] if alone else page.complaints()
            assert not complaints, complaints
            print(f"ok {name}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
