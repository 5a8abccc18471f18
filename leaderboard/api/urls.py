"""Addresses for programs."""

urlpatterns = []
