from django.db import migrations, models

from leaderboard.accounts import names


def fill(apps, schema_editor):
    """Give every team its skeleton; of twins in a competition the older keeps the plain one."""
    teams = apps.get_model("teams", "Team").objects
    taken = set()
    for team in teams.order_by("pk").only("pk", "name", "competition").iterator():
        made = names.skeleton(team.name)
        if (team.competition_id, made) in taken:
            made = f"{made}{names.TWIN}{team.pk}"
        taken.add((team.competition_id, made))
        teams.filter(pk=team.pk).update(skeleton=made)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_user_skeleton"),
        ("teams", "0003_carried_from_and_invited_names"),
    ]

    operations = [
        migrations.AddField(
            model_name="team",
            name="skeleton",
            field=models.CharField(editable=False, max_length=300, default=""),
            preserve_default=False,
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="team",
            name="skeleton",
            field=names.SkeletonField(editable=False, max_length=300, of="name"),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.UniqueConstraint(
                fields=("competition", "skeleton"), name="teams_look_once"
            ),
        ),
    ]
