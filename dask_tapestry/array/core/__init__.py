"""What every chapter needs: Array itself, its arguments, its conversions."""
