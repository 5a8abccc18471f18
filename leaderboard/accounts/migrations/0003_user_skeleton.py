from django.db import migrations, models

from leaderboard.accounts import names


def fill(apps, schema_editor):
    """Give every row its skeleton; of twins the older keeps the plain one."""
    users = apps.get_model("accounts", "User").objects
    taken = set()
    for user in users.order_by("pk").only("pk", "username").iterator():
        made = names.skeleton(user.username)
        if made in taken:
            made = f"{made}{names.TWIN}{user.pk}"
        taken.add(made)
        users.filter(pk=user.pk).update(skeleton=made)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_participants"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="skeleton",
            field=models.CharField(editable=False, max_length=300, null=True),
        ),
        migrations.AlterField(
            model_name="user",
            name="username",
            field=models.CharField(
                max_length=30,
                unique=True,
                validators=names.VALIDATORS,
                verbose_name="user name",
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="user",
            name="skeleton",
            field=names.SkeletonField(
                editable=False,
                error_messages={"unique": "This user name is taken, or looks like one that is."},
                max_length=300,
                of="username",
                unique=True,
            ),
        ),
    ]
