"""What several tests share: wire encoders of our own, ways of cutting, the folder of recorded material."""
