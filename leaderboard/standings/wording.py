"""The sentences of a board: why a rank is a band, and what the lines between groups say."""

from leaderboard.standings.rows import Divider, Pages


def why_band(first: int, last: int, resolution: str, tied: bool = False) -> str:
    """Say in a sentence why a team's place is a band; `tied`: with the viewer's own team."""
    better, near = first - 1, last - first
    ahead = f"{_teams(better)} better by {resolution} or more" if better else ""
    if not near:
        said = f"{ahead}; no" if ahead else "No"
        return f"{said} other team is nearer than {resolution}. The place is {first}."
    verb = "differs" if near == 1 else "differ"
    other = f"{near:,} other{'' if near == 1 else 's'} {verb} by less than {resolution}: a tie."
    with_you = " Your team is one of them." if tied else ""
    said = f"{ahead}. {other}" if ahead else f"No team is better by {resolution} or more. {other}"
    return f"{said}{with_you} The place lies between {first:,} and {last:,}."


def tied_for_first(number: int, resolution: str, greater_is_better: bool) -> Divider:
    """The line above the teams that cannot be told apart from the first."""
    # Where lower is better, “above” means a smaller number on every page: not a word for behind.
    side = "below" if greater_is_better else "behind"
    return Divider(
        f"Tied for first: {number:,} teams less than {resolution} {side} the best score",
        f"Scores that differ by less than {resolution} differ by noise and by which rows are "
        "public: each of these teams may be the best one.",
    )


def behind(resolution: str) -> Divider:
    """The line under the teams tied for first."""
    return Divider(f"Behind the leader by {resolution} or more")


def elsewhere(shown: Pages) -> Divider:
    """The line that says where the others are."""
    following = shown.number + 1
    only = following == shown.count
    where = f"page {following}" if only else f"pages {following} to {shown.count}"
    return Divider(f"Places {shown.last + 1:,} to {shown.total:,} are on {where}")


def _teams(number: int) -> str:
    return "1 team is" if number == 1 else f"{number:,} teams are"
