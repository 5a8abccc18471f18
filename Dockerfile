# One image for web, worker and beat; docker-compose.yml gives each its command.
FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    OPENBLAS_NUM_THREADS=1 \
    DJANGO_SETTINGS_MODULE=leaderboard.settings \
    HOLDOUT_DATA=/data

WORKDIR /holdout
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt

COPY manage.py pyproject.toml LICENSE ./
COPY scoring scoring
COPY leaderboard leaderboard
COPY templates templates
COPY static static

# The key in this line is for this build step alone: collectstatic signs nothing.
RUN SECRET_KEY=build HOLDOUT_DATA=/tmp/build python manage.py collectstatic --noinput \
    && useradd --create-home --uid 10001 holdout \
    && install -d -o holdout -g holdout -m 700 /data
USER holdout
VOLUME /data
EXPOSE 8000
CMD ["python", "-m", "gunicorn", "leaderboard.wsgi", "--bind", "0.0.0.0:8000", \
     "--worker-class", "gthread", "--workers", "2", "--threads", "16", "--no-control-socket"]
