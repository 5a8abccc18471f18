"""What a person is answered whose act on a team is refused: a code, a sentence, a status."""

from leaderboard.teams.joining import Refusal

# Code -> (HTTP status, sentence: what, why, how to go on).
REFUSALS = {
    "not_member": (404, "You are not in this team."),
    "owner_only": (403, "Only the owner of the team, {owner}, may do this."),
    "closed": (409, "This competition closed on {at}. Teams stay as they were then."),
    "deadline": (409, "Teams could take in members and merge until {at}. It is too late now."),
    "disqualified": (409, "The team {team} was disqualified. It stays as it is."),
    "bad_name": (422, "{fault}"),
    "taken_name": (
        409,
        "Another team has this name, or one that looks like it. Choose another name.",
    ),
    "reserved_name": (409, "This name stands for the host or a baseline. Choose another name."),
    "full": (
        409,
        "The team {team} is full: a team has at most {most} member{s} in this competition.",
    ),
    "too_many_invitations": (
        429,
        "Your team has {most} open invitations, the most there may be. Take one back first.",
    ),
    "too_many_today": (
        429,
        "Your team made {most} invitations and proposals within a day, the most there may be. Try "
        "again tomorrow.",
    ),
    "in_your_team": (409, "{name} is in your team already."),
    "used": (410, "This invitation was used. Ask the owner of the team for a new one."),
    "revoked": (410, "The team took this invitation back. Ask its owner for a new one."),
    "declined": (410, "This invitation was declined. Ask the owner of the team for a new one."),
    "expired": (
        410,
        "This invitation ended on {at}. Ask the owner of the team for a new one.",
    ),
    "not_invited": (404, "There is no such invitation."),
    "rules": (422, "Accept the rules of the competition to join."),
    "leave_first": (
        409,
        "You are in the team {team} with others. Leave it first, then accept the invitation.",
    ),
    "merge_instead": (
        409,
        "Your team {team} has sent files, which cannot be left without a team. Merge the two teams "
        "instead: the owner of one proposes it on the team page.",
    ),
    "only_member": (
        409,
        "You are the only member of the team, and its files cannot be left without one.",
    ),
    "hand_over_first": (409, "You own the team. Hand it over to another member, then leave."),
    "no_such_member": (404, "Your team has no such member."),
    "yourself": (409, "You own the team already."),
    "remove_yourself": (409, "You cannot remove yourself. Leave the team instead."),
    "no_such_team": (422, "There is no team called {name} in this competition. Check the name."),
    "own_team": (409, "This is your own team. Name the team that yours should take in."),
    "too_large": (
        409,
        # Not how many: that would tell who asks the size of any team it can name.
        "Together the teams would have more than {most} member{s}, the most a team has here.",
    ),
    "unfinished": (
        409,
        "A file of {team} is still being scored. Accept again when it is finished.",
    ),
    "too_many_files": (
        409,
        "Together the teams sent {files} files. Up to today a team can have sent {most}: {limit} a "
        "day for {days} day{s}. This can fit on a later day, if few files are sent until then.",
    ),
    "too_many_files_in_all": (
        409,
        "Together the teams sent {files} files; a team may send {most} in this competition.",
    ),
    "proposal_gone": (410, "This proposal is no longer open. Ask for a new one."),
}


def refusal(code: str, **facts) -> Refusal:
    """Return a refusal to raise."""
    status, sentence = REFUSALS[code]
    return Refusal(code, sentence.format(**facts), status)
