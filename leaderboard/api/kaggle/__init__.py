"""The interface that the unmodified kaggle command-line client speaks.

Every call is a POST of JSON to `/api/v1/<service>/<Method>`; names, forms and the order of calls
are those of kaggle 2.2.5. The acts behind them are the same as those of the pages.
"""
