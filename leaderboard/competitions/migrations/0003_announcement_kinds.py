from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("competitions", "0002_participants"),
    ]

    operations = [
        migrations.AlterField(
            model_name="announcement",
            name="kind",
            field=models.CharField(
                choices=[
                    ("news", "Announcement"),
                    ("dates", "Change of dates"),
                    ("rule", "Change of the rules"),
                    ("results", "Results"),
                ],
                default="news",
                max_length=8,
            ),
        ),
    ]
