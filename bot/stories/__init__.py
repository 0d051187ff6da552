"""What the product does when something happens."""
