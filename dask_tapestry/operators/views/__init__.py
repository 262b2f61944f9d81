"""Views: dimensions and cells shown in another order or form, without computing."""
